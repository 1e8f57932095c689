/** When a rehearsal begins, what the job does, and who hears of it. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { isTimeFor } from '../../src/site/start/rehearsals.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const ZONE = 'Europe/Berlin';
/** The last one began at 02:00 in Berlin. */
const LAST = Date.parse('2026-11-22T01:00:00Z');

for (const [now, isTime, why, status = 'Failed'] of [
  ['2026-11-22T02:00:00Z', false, 'an hour later'],
  ['2026-11-22T20:00:00Z', false, 'in the evening'],
  ['2026-11-22T23:30:00Z', false, 'before one o’clock'],
  ['2026-11-23T00:00:00Z', true, 'the next night, at one o’clock'],
  ['2026-11-23T03:59:00Z', true, 'the next night, before five o’clock'],
  ['2026-11-23T04:00:00Z', false, 'the next morning'],
  ['2026-11-23T13:00:00Z', true, 'after 36 hours'],
  ['2026-11-20T13:00:00Z', true, 'when the clock was set back'],
  ['2026-11-22T04:59:00Z', false, 'before four hours after one that was skipped', 'Skipped'],
  ['2026-11-22T05:00:00Z', true, 'four hours after one that was skipped', 'Skipped'],
] as const) {
  test(`${why}: ${isTime ? 'it is time' : 'it is not time'} for a rehearsal`, () => {
    assert.equal(isTimeFor({ started: LAST, status }, Date.parse(now), ZONE), isTime);
  });
}

test('without a former one it is time', () => {
  assert.equal(isTimeFor(null, LAST, ZONE), true);
});

describeEitherEngine('the job that rehearses', (engine) => {
  let place: string;
  let mailbox: Mailbox;
  let site: TestSite;
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'chancery-nights-'));
    mailbox = await startMailbox();
    site = await startTestSite(engine, {
      users: { manager: ['System Manager'] },
      config: {
        siteUrl: 'https://site.example.com',
        mail: { ...DEFAULT_CONFIG.mail, url: mailbox.url, from: 'site@example.com' },
        backup: { ...DEFAULT_CONFIG.backup, to: place },
      },
    });
  });
  after(async () => {
    await site.stop();
    await mailbox.stop();
    await rm(place, { recursive: true, force: true });
  });

  test('a failure is recorded and shown, and the System Managers get a mail', async () => {
    const before = await site.ok('GET', '/api/method/chancery.system.health');
    assert.deepEqual(before.backup, {
      ...{ is_configured: 1, moment: null, status: null, rehearsal: null, rehearsed: null },
    });
    assert.ok(!(await site.request('GET', '/metrics')).text.includes('chancery_rehearsal_ok'));
    await site.call('chancery.system.run_job', { job: 'rehearse_backup' });
    await until(
      async () => mailbox.mails.map(({ to, raw }) => ({ to, raw })),
      (mails) => mails.some(({ to }) => to.includes('manager@example.com')),
    );
    const mail = mailbox.mails.find(({ to }) => to.includes('manager@example.com'))?.raw ?? '';
    assert.match(mail, /^Subject: Rehearsal of a restore failed\r$/m);
    assert.match(mail, /There is no backup in this place/);
    assert.match(mail, /https:\/\/site\.example\.com\/admin\/system/);
    const [run] = await site.ok(
      'GET',
      '/api/resource/Backup Run?fields=["*"]&filters=[["kind","=","Rehearsal"]]',
    );
    assert.partialDeepStrictEqual(run, { kind: 'Rehearsal', status: 'Failed', backup: null });
    const { backup } = await site.ok('GET', '/api/method/chancery.system.health');
    assert.equal(backup.rehearsal, 'Failed');
    const { text } = await site.request('GET', '/metrics');
    assert.match(text, /^chancery_rehearsal_ok 0$/m);
    assert.match(text, /^chancery_rehearsal_age_seconds \d/m);
  });

  test('one that could not run is recorded as skipped, and told', async () => {
    const { backup } = site.site.config;
    const { to } = backup;
    Object.assign(backup, { to: 's3://key:secret@bucket?endpoint=http%3A%2F%2F127.0.0.1%3A1' });
    try {
      await site.call('chancery.system.run_job', { job: 'rehearse_backup' });
      const [run] = await until(
        () => site.ok('GET', `/api/resource/Backup Run?fields=["*"]&filters=[["status","=","Skipped"]]`),
        (runs) => runs.length === 1,
      );
      assert.partialDeepStrictEqual(run, { kind: 'Rehearsal', status: 'Skipped', backup: null });
      assert.match(run.problems, /^could not run: The backup store is not available: /);
      await until(async () =>
        mailbox.mails.some(({ raw }) => /^Subject: Rehearsal of a restore skipped\r$/m.test(raw)),
      );
    } finally {
      Object.assign(backup, { to });
    }
  });

  test('nobody but the server writes the runs', async () => {
    const manager = site.keyOf('manager');
    const reply = await site.request('POST', '/api/resource/Backup Run', {
      body: { kind: 'Backup', status: 'Succeeded' },
      as: manager,
    });
    assert.equal(reply.status, 403);
    const runs = await site.did('GET', 'Backup Run', undefined, manager);
    assert.ok(runs.length >= 2);
  });
});
