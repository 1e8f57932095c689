/** Deliveries that lead to changes that lead to deliveries, and changes that no webhook should hear of. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createDocument } from '../../src/document/create.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { inTurn } from '../../src/site/in-turn.ts';
import { ENGINES } from '../support/site.ts';
import { bodyOf, WebhookSite } from '../support/webhook-site.ts';

const LIMIT = 5;
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

for (const engine of ENGINES) {
  describe(`loops of webhooks on ${engine}`, () => {
    let hooks: WebhookSite;
    before(async () => {
      hooks = await WebhookSite.start(engine, { loopLimit: LIMIT });
    });
    after(() => hooks.stop());
    afterEach(() => hooks.clear());

    let count = 0;
    async function create(headers: Record<string, string>, as?: Awaited<ReturnType<typeof writer>>) {
      count += 1;
      const body = { name: `loop-${count}`, title: 'x' };
      return hooks.site.request('POST', '/api/resource/Note', { body, headers, ...(as && { as }) });
    }
    const writer = () => hooks.site.createUser(`w${count}-${engine}@example.com`, ['Note Writer']);

    test('a change says how many deliveries led to it, and the delivery one more', async () => {
      await hooks.webhook();
      const given = ['', '0', '3', '7', '-1', '1e3', '99999', 'x'];
      for (const chain of given) {
        const reply = await create(chain === '' ? {} : { 'webhook-chain': chain });
        assert.equal(reply.status, 200, reply.text);
      }
      const got = await hooks.receiver.count(given.length);
      const chains = new Map(got.map((one) => [bodyOf(one).name, one.headers['webhook-chain']]));
      const inOrder = given.map((_chain, index) => chains.get(`loop-${count - given.length + 1 + index}`));
      assert.deepEqual(inOrder, ['0', '1', '4', '8', '0', '0', '0', '0']);
    });

    test('a receiver that passes the chain on ends its loop; what was not sent is in the log', async () => {
      const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' });
      let reply = await create({});
      for (let depth = 0; depth <= LIMITS.webhookChain; depth += 1) {
        const got = (await hooks.receiver.count(depth + 1))[depth];
        assert.equal(got?.headers['webhook-chain'], String(depth));
        // Another document each time: the chain ends what no fuse sees.
        reply = await create({ 'webhook-chain': String(got?.headers['webhook-chain']) });
        assert.equal(reply.status, 200);
      }
      const logs = await hooks.logUntil(hook, (found) => found.length === LIMITS.webhookChain + 2);
      const cancelled = logs.filter(({ status }) => status === 'Cancelled');
      assert.equal(cancelled.length, 1);
      assert.equal(
        cancelled[0]?.['error'],
        `loop_detected: ${LIMITS.webhookChain + 1} deliveries led to this one`,
      );
      assert.match(String(cancelled[0]?.['data']), /"title": "x"/);
      assert.equal(hooks.receiver.received.length, LIMITS.webhookChain + 1);
    });

    test('the trace of the request goes on to the receiver', async () => {
      await hooks.webhook({ webhook_headers: [{ key: 'X-Team', value: 'blue' }] });
      for (const traceparent of [TRACE, 'junk', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
        await create({ traceparent });
      }
      const got = await hooks.receiver.count(3);
      assert.ok(got.every(({ headers }) => headers['x-team'] === 'blue'));
      const traces = got.map(({ headers }) => String(headers['traceparent']));
      const kept = traces.filter((trace) => trace.startsWith(TRACE.slice(0, 36)));
      assert.equal(kept.length, 1);
      assert.match(kept[0] ?? '', /-01$/);
      assert.ok(kept[0] !== TRACE);
    });

    test('a webhook may skip the changes of its receiver’s own user', async () => {
      const own = await writer();
      await hooks.webhook({ skip_own_changes: 1, request_url: `${hooks.receiver.url}/owner` });
      await hooks.webhook({
        skip_own_changes: 1,
        own_user: `w${count}-${engine}@example.com`,
        request_url: `${hooks.receiver.url}/named`,
      });
      assert.equal((await create({}, own)).status, 200);
      assert.equal((await create({})).status, 200);
      const got = await hooks.receiver.count(2);
      assert.deepEqual(got.map((one) => [one.path, bodyOf(one).owner]).sort(), [
        ['/hook/named', 'Administrator'],
        ['/hook/owner', `w${count - 2}-${engine}@example.com`],
      ]);
    });

    test('of a document that changes again and again only the newest state is told', async () => {
      const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' });
      const name = await hooks.note();
      for (let pages = 1; pages < LIMIT + 4; pages += 1) await hooks.put(`Note/${name}`, { pages });
      const other = await hooks.note();
      const logs = await hooks.logUntil(hook, (found) => {
        const [newest, ...rest] = found.filter((log) => log['reference_document'] === name);
        return newest !== undefined && rest.every(({ status }) => /Delivered|Cancelled/.test(status));
      });
      assert.ok(logs.some((log) => log['reference_document'] === other && log.status !== 'Cancelled'));
      const [newest, ...rest] = logs.filter((log) => log['reference_document'] === name);
      // It is delivered within ten seconds, which is not waited for here.
      assert.match(String(newest?.['data']), new RegExp(`"pages": ${LIMIT + 3},`));
      assert.notEqual(newest?.status, 'Cancelled');
      const superseded = rest.filter(({ status }) => status === 'Cancelled');
      // Of the first ones, too, those that still waited for their turn.
      assert.ok(superseded.length >= 3, String(superseded.length));
      for (const log of superseded) assert.match(String(log['error']), /^superseded: /);
      assert.equal(rest.length, LIMIT + 3);
      const warnings = hooks.site.observed.filter(({ kind }) => kind === 'warning');
      assert.match(JSON.stringify(warnings), /changes again and again/);
    });

    test('an import is not told of, where its user could switch webhooks off', async () => {
      const { name: hook } = await hooks.webhook();
      const imported = await create({ 'chancery-import': '1' });
      assert.equal(imported.status, 200, imported.text);
      const refused = await create({ 'chancery-import': '1' }, await writer());
      assert.equal(refused.status, 403);
      assert.equal(refused.body.exc_type, 'PermissionError');
      assert.equal((await create({ 'chancery-import': '0' })).status, 200);
      // The last one is the only one.
      await hooks.receiver.count(1);
      assert.equal((await hooks.logs(hook)).length, 1);
    });

    test('fixtures and patches are not told of', async () => {
      const { name: hook } = await hooks.webhook();
      await inTurn(hooks.site.site, (ctx) =>
        createDocument(ctx, 'Note', { name: `fixture-${engine}`, title: 'x' }),
      );
      await hooks.note();
      await hooks.receiver.count(1);
      assert.equal((await hooks.logs(hook)).length, 1);
    });

    test('a webhook made by an import is known at once', async () => {
      const body = {
        webhook_doctype: 'Note',
        webhook_docevent: 'after_insert',
        request_url: hooks.receiver.url,
      };
      const reply = await hooks.site.request('POST', '/api/resource/Webhook', {
        body,
        headers: { 'chancery-import': '1' },
      });
      assert.equal(reply.status, 200, reply.text);
      await hooks.note();
      await hooks.receiver.count(1);
    });

    test('nothing unexpected was observed', () => {
      assert.deepEqual(
        hooks.site.observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    });
  });
}
