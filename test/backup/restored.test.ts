/**
 * After a restore nothing happens twice: a real server starts on the settled copy of an earlier moment, after the site
 * has gone on for a while.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { replaceSecret } from '../../src/access/api-key.ts';
import { parseLaterState, renderLaterState } from '../../src/backup/after/later-state.ts';
import type { Settled } from '../../src/backup/after/settle-restored.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { listen } from '../support/events.ts';
import { notes } from '../support/notes/app.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { type KeptSite, KeptSites, laterStateOf, settled } from '../support/restored-site.ts';
import type { TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const MANAGER = { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 };
const DOCTYPES = [
  {
    name: 'Bill',
    autoname: 'BILL-.#####',
    fields: [{ fieldname: 'of', fieldtype: 'Data' }],
    permissions: [MANAGER],
  },
  {
    name: 'Count',
    autoname: 'autoincrement',
    fields: [{ fieldname: 'of', fieldtype: 'Data' }],
    permissions: [MANAGER],
  },
  {
    name: 'Ruled',
    autoname: 'hash',
    fields: [{ fieldname: 'of', fieldtype: 'Data' }],
    permissions: [MANAGER],
  },
];
const USERS = ['stays', 'disabled', 'deleted', 'revoked', 'rotated'];
const LOG = 'Webhook Request Log';

/** What clients of the site at the moment hold, to try it on the restored one. */
interface Held {
  readonly keys: ReadonlyMap<string, string>;
  readonly cookie: string;
  readonly position: string;
  readonly cursor: string;
  readonly etag: string;
}

describeEitherEngine('a restored site', (engine) => {
  const sites = new KeptSites(engine);
  let receiver: WebhookReceiver;
  let held: Held;
  let moment: number;
  let early: KeptSite;
  let live: KeptSite;
  let sent: number;
  let settlement: Settled;
  let site: TestSite;

  before(async () => {
    receiver = await WebhookReceiver.start();
    live = await sites.make();
    held = await theMoment(live);
    moment = Date.now();
    early = await sites.copy(live);
    await goOn(live);
    sent = receiver.received.length;
    const copy = await sites.copy(early);
    const later = parseLaterState(renderLaterState(await laterStateOf(live)));
    assert.ok(later);
    settlement = await settled(copy, moment, later);
    site = await sites.start(copy, { apps: [notes], worker: true });
  });
  after(async () => {
    await site?.stop();
    await receiver.close();
    await sites.stop();
  });

  /** The state that is restored: two open deliveries, three counters, users, and a session. */
  async function theMoment(kept: KeptSite): Promise<Held> {
    const users = Object.fromEntries(USERS.map((name) => [name, ['System Manager']]));
    const first = await sites.start(kept, { apps: [notes], doctypes: DOCTYPES, users });
    await first.make('Document Naming Rule', { document_type: 'Ruled', prefix: 'R-', prefix_digits: 3 });
    await name(first, 2);
    const hook = { webhook_doctype: 'Note', webhook_docevent: 'on_update', request_url: receiver.url };
    await first.make('Webhook', { ...hook, name: 'sends' });
    await first.make('Webhook', { ...hook, name: 'paused', webhook_docevent: 'after_insert' });
    await first.make('Note', { name: 'one', title: 'First' });
    await first.did('PUT', 'Note/one', { title: 'At the moment' });
    await first.did('PUT', 'Webhook/paused', { enabled: 0 });
    const login = await first.request('POST', '/api/method/login', {
      as: null,
      body: { usr: 'Administrator', pwd: 'admin-password' },
    });
    const stream = await listen(first.url, 'doctype=Note', `token ${first.adminKey}`);
    await stream.next();
    const position = stream.last;
    await stream.close();
    const page = await first.request('GET', '/api/v2/document/User?include=cursor&limit=1');
    await first.request('POST', '/api/resource/Note', {
      body: { name: 'once', title: 'Once' },
      headers: { 'idempotency-key': 'a-key-of-then' },
    });
    const keys = new Map(USERS.map((user) => [user, first.keyOf(user)]));
    const etag = (await first.request('GET', '/api/resource/Note/once')).headers.get('etag') ?? '';
    await first.stop();
    return {
      keys,
      cookie: (login.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '',
      position,
      cursor: String(page.body.cursor),
      etag,
    };
  }

  /** The site goes on: what was open is sent, names are given, users and keys end. */
  async function goOn(kept: KeptSite): Promise<void> {
    const then = await sites.start(kept, { apps: [notes], worker: true });
    await name(then, 3);
    await then.make('Note', { name: 'two', title: 'Later' });
    await then.did('PUT', 'Note/two', { title: 'Later still' });
    await until(
      () => then.ok('GET', `/api/resource/${LOG}?filters=[["webhook","=","sends"]]&fields=["status"]`),
      (logs: { status: string }[]) => logs.length === 2 && logs.every(({ status }) => status === 'Delivered'),
    );
    await then.did('PUT', 'User/disabled@example.com', { enabled: 0 });
    await then.did('DELETE', 'User/deleted@example.com');
    await then.did('PUT', `API Key/${keyOf('revoked')}`, { enabled: 0 });
    await then.site.database.transaction((db) => replaceSecret(db, keyOf('rotated'), 'another', 0));
    await then.stop();
  }

  async function name(on: TestSite, times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      for (const doctype of ['Bill', 'Count', 'Ruled']) await on.make(doctype, { of: 'it' });
    }
  }

  const keyOf = (user: string) => /token (\w+):/.exec(held.keys.get(user) ?? '')?.[1] ?? '';
  const logs = (filters: string, fields = '"name","status","reference_document","webhook_id","sequence"') =>
    site.ok('GET', `/api/resource/${LOG}?filters=${filters}&fields=[${fields}]&order_by=creation`);

  test('tells what it did', () => {
    assert.equal(settlement.deliveries, 2);
    assert.equal(settlement.skipped, 0);
    assert.deepEqual(settlement.users, ['deleted@example.com', 'disabled@example.com']);
    assert.deepEqual(
      settlement.keys.map(({ user }) => user).sort(),
      ['deleted', 'disabled', 'revoked', 'rotated']
        .map((user) => `${user}@example.com`)
        .filter((user) => !/^disabled/.test(user)),
    );
  });

  test('open deliveries are held, and new ones about the same documents flow', async () => {
    const open = await logs('[["status","=","Held"]]');
    assert.deepEqual(open.map((log: { reference_document: string }) => log.reference_document).sort(), [
      'one',
      'one',
    ]);
    await site.did('PUT', 'Note/one', { title: 'After the restore' });
    const found = await receiver.until((received) => received.length > sent);
    assert.equal(found.length, sent + 1);
    const [newest] = found.slice(-1);
    const before = found.slice(0, sent).map(({ headers }) => Number(headers['webhook-sequence']));
    assert.ok(Number(newest?.headers['webhook-sequence']) > Math.max(...before));
    assert.equal((await site.ok('GET', '/api/method/chancery.webhook.stats')).total.held, 2);
    // The receiver has the new one before the server knows that.
    const overview = await until(
      () => site.ok('GET', '/api/method/chancery.webhook.overview'),
      ({ queue }) => queue.waiting === 0,
    );
    assert.equal(overview.queue.held, 2);
    const metrics = await site.request('GET', '/metrics');
    assert.match(metrics.text, /state="held"\} 2\n/);
  });

  test('enabling the webhook sends no held delivery; an administrator resends or cancels it', async () => {
    await site.did('PUT', 'Webhook/paused', { enabled: 1 });
    await site.make('Note', { name: 'three', title: 'New' });
    await until(
      () => logs('[["reference_document","=","three"]]'),
      (found: { status: string }[]) =>
        found.length === 1 && found.every(({ status }) => status === 'Delivered'),
    );
    const open = await logs('[["status","=","Held"]]', '"name","webhook","reference_document"');
    assert.equal(open.length, 2);
    const cancelled = open.find((log: { webhook: string }) => log.webhook === 'paused');
    const resent = open.find((log: { webhook: string }) => log.webhook === 'sends');
    await site.call('chancery.webhook.cancel', { name: cancelled.name });
    assert.deepEqual((await logs(`[["name","=","${cancelled.name}"]]`))[0].status, 'Cancelled');
    const total = receiver.received.length;
    const { matching } = await site.call('chancery.webhook.resend_many', {
      filters: [['status', '=', 'Held']],
      preview: 1,
    });
    assert.equal(matching, 1);
    await site.call('chancery.webhook.resend', { name: resent.name });
    const [again] = (await receiver.until((received) => received.length > total)).slice(total);
    assert.equal(again?.headers['webhook-id'], resent.name);
    assert.equal((await logs('[["status","=","Held"]]')).length, 0);
  });

  test('series, numbers and naming rules go on after the later names', async () => {
    assert.equal((await site.make('Bill', { of: 'it' })).name, 'BILL-00006');
    assert.equal(String((await site.make('Count', { of: 'it' })).name), '6');
    assert.equal((await site.make('Ruled', { of: 'it' })).name, 'R-006');
  });

  test('sessions have ended, and users and keys that ended later stay off until an administrator decides', async () => {
    const who = async (headers: Record<string, string>) =>
      (await site.request('GET', '/api/method/frappe.auth.get_logged_user', { as: null, headers })).body
        .message;
    const byKey = (user: string) => who({ authorization: held.keys.get(user) ?? '' });
    assert.equal(await who({ cookie: held.cookie }), undefined);
    assert.equal(await byKey('stays'), 'stays@example.com');
    for (const user of USERS.slice(1)) assert.equal(await byKey(user), undefined, user);
    await site.did('PUT', `API Key/${keyOf('revoked')}`, { enabled: 1 });
    assert.equal(
      await until(
        () => byKey('revoked'),
        (user) => user !== undefined,
      ),
      'revoked@example.com',
    );
    const audit = await site.ok(
      'GET',
      '/api/resource/Audit Log?filters=[["event","in","site_restored,user_disabled"]]&fields=["event","reference_name","details"]',
    );
    const events = audit.map((entry: { event: string }) => entry.event).sort();
    assert.deepEqual(events, ['site_restored', 'user_disabled', 'user_disabled']);
  });

  test('positions and cursors from before are invalid; a reply by an idempotency key stays', async () => {
    const stream = await listen(site.url, 'doctype=Note', `token ${site.adminKey}`, {
      'last-event-id': held.position,
    });
    assert.equal((await stream.next())?.event, 'reset');
    await stream.close();
    const page = await site.request('GET', `/api/v2/document/User?limit=1&after=${held.cursor}`);
    assert.equal(page.status, 417);
    assert.match(page.text, /is not a cursor of this list/);
    const once = await site.request('POST', '/api/resource/Note', {
      body: { name: 'once', title: 'Once' },
      headers: { 'idempotency-key': 'a-key-of-then' },
    });
    assert.equal(once.status, 200, once.text);
  });

  test('ETags from before match nothing', async () => {
    const path = '/api/resource/Note/once';
    const fresh = await site.request('GET', path, { headers: { 'if-none-match': held.etag } });
    assert.equal(fresh.status, 200);
    const etag = fresh.headers.get('etag') ?? '';
    const save = (tag: string) =>
      site.request('PUT', path, { body: { title: 'Saved' }, headers: { 'if-match': tag } });
    assert.equal((await save(held.etag)).status, 412);
    assert.equal((await site.request('GET', path, { headers: { 'if-none-match': etag } })).status, 304);
    assert.equal((await save(etag)).status, 200);
  });

  test('its database does not get the files of the live site', async () => {
    const copy = await sites.copy(early);
    await settled(copy, moment, null);
    const files = join(live.data, 'files');
    await assert.rejects(sites.start(copy, { apps: [notes], config: { files } }), /bound to another copy/);
  });

  test('without a later state, each series leaves numbers out and nothing is turned off', async () => {
    const copy = await sites.copy(early);
    const { users, keys, skipped } = await settled(copy, moment, null);
    assert.deepEqual([users, keys, skipped], [[], [], LIMITS.restoreSkip]);
    const other = await sites.start(copy, { apps: [notes] });
    try {
      assert.equal((await other.make('Bill', { of: 'it' })).name, `BILL-0${1003}`);
      assert.equal(String((await other.make('Count', { of: 'it' })).name), '1003');
      assert.equal((await other.make('Ruled', { of: 'it' })).name, 'R-1003');
    } finally {
      await other.stop();
    }
  });
});
