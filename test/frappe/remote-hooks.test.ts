/** The webhooks of a followed site: what is accepted, and what they make happen. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../../src/cli/cli.ts';
import { SiteHooks } from '../../src/frappe/remote/site-hooks.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { useStarted } from '../support/describe-site.ts';
import { freePort } from '../support/free-port.ts';
import { startTestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const SECRET = 's3cret of the webhooks';

const startHooks = async () => {
  const lines: string[] = [];
  const hooks = await SiteHooks.listen({
    ...{ host: '127.0.0.1', port: 0, secret: SECRET },
    isFollowed: (doctype) => doctype === 'Note',
    tell: (line) => lines.push(line),
  });
  return { hooks, lines, url: `http://127.0.0.1:${hooks.port}/any/path`, stop: () => hooks.close() };
};

describe('webhooks of a followed site', () => {
  const given = useStarted(startHooks);
  const send = async (body: string, { method = 'POST', secret = SECRET } = {}) => {
    const signature = createHmac('sha256', secret).update(body).digest('base64');
    const response = await fetch(given.url, {
      ...{ method, headers: { 'x-frappe-webhook-signature': signature } },
      ...(method === 'GET' ? {} : { body }),
    });
    const { exc_type: type, message } = (await response.json()) as Record<string, string>;
    return [response.status, type ?? message];
  };

  // As Python writes JSON.
  const NOTE = '{"doctype": "Note"}';
  for (const [what, body, options, answer] of [
    ['a body of a doctype', NOTE, {}, [200, 'ok']],
    ['a whole document', '{"doctype": "Note", "name": "N-1", "title": "\\u00fc"}', {}, [200, 'ok']],
    ['another secret', NOTE, { secret: 'x' }, [401, 'AuthenticationError']],
    ['another method', NOTE, { method: 'GET' }, [405, 'MethodNotAllowed']],
    ['an empty body', '', {}, [400, 'ValidationError']],
    ['a body that is no object', '["Note"]', {}, [400, 'ValidationError']],
    ['a form', 'doctype=Note', {}, [400, 'ValidationError']],
    ['a doctype that is not followed', '{"doctype": "Error Log"}', {}, [404, 'DoesNotExistError']],
    ['a body at the limit', NOTE.padEnd(LIMITS.remoteHookBytes), {}, [200, 'ok']],
    ['a longer body', NOTE.padEnd(LIMITS.remoteHookBytes + 1), {}, [413, 'RequestEntityTooLarge']],
  ] as const) {
    test(`${what} is answered with ${answer[0]}`, async () => {
      given.hooks.take();
      assert.deepEqual(await send(body, options), answer);
      assert.deepEqual([...given.hooks.take()], answer[0] === 200 ? ['Note'] : []);
    });
  }

  test('a signature may be absent or no base64, and is refused', async () => {
    for (const headers of [{}, { 'x-frappe-webhook-signature': '§'.repeat(10) }]) {
      const response = await fetch(given.url, { method: 'POST', body: NOTE, headers });
      assert.equal(response.status, 401);
    }
  });

  test('a wait ends with a webhook, and the operator hears of the first of a kind only', async () => {
    const { signal } = new AbortController();
    const waiting = given.hooks.arrived(2 ** 30, signal);
    for (let count = 0; count < 3; count += 1) await send(NOTE);
    await waiting;
    assert.deepEqual([...given.hooks.take()], ['Note']);
    assert.equal(given.lines.filter((line) => line === 'Webhooks of Note arrive.').length, 1);
    assert.equal(given.lines.filter((line) => /refused with 401/.test(line)).length, 1);
  });
});

describe('the follower of a site with webhooks', () => {
  const from = useStarted(() =>
    startTestSite('sqlite', {
      ...{ worker: true, config: { timestampPrecision: 'microseconds' } },
      doctypes: [
        { name: 'Memo', autoname: 'prompt', fields: [{ fieldname: 'text', fieldtype: 'Data' }] },
        { name: 'Shop', issingle: 1, fields: [{ fieldname: 'motto', fieldtype: 'Data' }] },
      ],
    }),
  );

  test('it polls a doctype when its webhook arrives, long before the interval ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-hooks-'));
    const [keyFile, secretFile] = [join(folder, 'key'), join(folder, 'secret')];
    await writeFile(keyFile, from.adminKey);
    await writeFile(secretFile, `${SECRET}\n`);
    const port = await freePort();
    let said = '';
    const stream = { write: (text: string) => (said += text) };
    const streams = { stdout: stream, stderr: stream };
    const command = (...flags: string[]) =>
      run(
        [
          ...['import', 'frappe', from.url, '--key-file', keyFile, '--source-time-zone', 'UTC'],
          ...['--data', folder, '--apps', '', ...flags],
        ],
        streams,
      );
    const listen = ['--listen', `127.0.0.1:${port}`, '--webhook-secret-file', secretFile];
    assert.equal(await command(...listen), 2);
    assert.match(said, /--listen and --webhook-secret-file need --follow/);
    assert.equal(await run(['migrate', '--data', folder, '--apps', ''], streams), 0, said);
    const following = command('--follow', '--interval', '1440m', ...listen);
    try {
      await until(() => said.includes('after webhooks. Ctrl+C'));
      assert.match(said, new RegExp(`^Receiving webhooks on 127.0.0.1, port ${port}`, 'm'));

      for (const [doctype, event] of [
        ['Memo', 'after_insert'],
        ['Memo', 'on_trash'],
        ['Shop', 'on_update'],
      ]) {
        await from.make('Webhook', {
          ...{ webhook_doctype: doctype, webhook_docevent: event, enabled: 1 },
          ...{ request_url: `http://127.0.0.1:${port}/`, request_method: 'POST', request_structure: 'JSON' },
          ...{ enable_security: 1, webhook_secret: SECRET, webhook_json: '{"doctype": "{{ doc.doctype }}"}' },
        });
      }
      await from.make('Memo', { name: 'M-1', text: 'new' });
      await until(() => said.includes('1 documents stored, 0 deleted'), Boolean, said);
      await from.did('DELETE', 'Memo/M-1');
      await until(() => said.includes('0 documents stored, 1 deleted'), Boolean, said);
      await from.did('PUT', 'Shop/Shop', { motto: 'fix it' });
      await until(() => said.split('1 documents stored, 0 deleted').length === 3, Boolean, said);
    } finally {
      process.emit('SIGTERM');
      assert.equal(await following, 0, said);
      await rm(folder, { recursive: true });
    }
  });
});
