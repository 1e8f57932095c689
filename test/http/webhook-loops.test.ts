/** Deliveries that lead to changes that lead to deliveries, and changes that no webhook should hear of. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, test } from 'node:test';
import { createDocument } from '../../src/document/verbs/create.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { inTurn } from '../../src/site/schema/migration/in-turn.ts';
import { describeEither } from '../support/describe-site.ts';
import { bodyOf, webhookSite } from '../support/webhook-site.ts';

const LIMIT = 5;
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const unsigned = (header: string): [string, number] => [header, 0];

describeEither('loops of webhooks', webhookSite({ loopLimit: LIMIT }), (hooks, engine) => {
  afterEach(() => hooks.clear());

  let count = 0;
  async function create(headers: Record<string, string>, as?: Awaited<ReturnType<typeof writer>>) {
    count += 1;
    const body = { name: `loop-${count}`, title: 'x' };
    return hooks.request('POST', '/api/resource/Note', { body, headers, ...(as && { as }) });
  }
  const writer = () => hooks.createUser(`w${count}-${engine}@example.com`, ['Note Writer']);

  const chainOf = (got: { headers: IncomingHttpHeaders } | undefined) =>
    String(got?.headers['webhook-chain']);
  const depthOf = (chain: string) => Number.parseInt(chain, 10);

  /** Creates documents, each in answer to the delivery of the one before, `count` deliveries long. */
  async function runLoop(count: number): Promise<string> {
    let chain = '';
    for (let depth = 0; depth < count; depth += 1) {
      // Another document each time: the chain ends what no fuse sees.
      const reply = await create(chain === '' ? {} : { 'webhook-chain': chain });
      assert.equal(reply.status, 200, reply.text);
      chain = chainOf((await hooks.receiver.count(depth + 1))[depth]);
      assert.equal(depthOf(chain), depth);
    }
    return chain;
  }

  test('only a chain signed by the site counts, so clients cannot forge one', async () => {
    const { name: hook } = await hooks.webhook();
    const signed = await runLoop(2);
    const [depth, ids, signature] = signed.split('.');
    const given: [header: string, depth: number][] = [
      ...['9', '-1', '1e3', 'x', '9.', `9.${ids}`, '999999999', 'x'.repeat(5_000)].map(unsigned),
      ...[`9.${ids}.${signature}`, `${depth}.AAAAAAAA.${signature}`, `${depth}.${ids}.${'A'.repeat(22)}`].map(
        unsigned,
      ),
      [signed, 2],
      [`7.of-another.server, ${signed}`, 2],
    ];
    for (const [chain] of given) await create({ 'webhook-chain': chain });
    const got = (await hooks.receiver.count(2 + given.length)).slice(2);
    const depths = new Map(got.map((one) => [bodyOf(one).name, depthOf(chainOf(one))]));
    const first = count - given.length + 1;
    assert.deepEqual(
      given.map((_, index) => depths.get(`loop-${first + index}`)),
      given.map(([, expected]) => expected),
    );
    const foreign = got.find((one) => bodyOf(one).name === `loop-${count}`);
    assert.match(chainOf(foreign), /^2\.[\w.-]+, 7\.of-another\.server$/);
    assert.ok((await hooks.logs(hook)).every(({ status }) => status !== 'Cancelled'));
  });

  test('a receiver that forwards the chain ends its own loop, without affecting other webhooks', async () => {
    const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' });
    const chain = await runLoop(LIMITS.webhookChain + 1);
    const { name: other } = await hooks.webhook({ request_url: `${hooks.receiver.url}/other` });
    assert.equal((await create({ 'webhook-chain': chain })).status, 200);
    const logs = await hooks.logUntil(hook, (found) => found.length === LIMITS.webhookChain + 2);
    const cancelled = logs.filter(({ status }) => status === 'Cancelled');
    assert.equal(cancelled.length, 1);
    assert.equal(
      cancelled[0]?.['error'],
      `loop_detected: ${LIMITS.webhookChain + 1} deliveries led to this one`,
    );
    assert.match(String(cancelled[0]?.['data']), /"title": "x"/);
    const got = await hooks.receiver.count(LIMITS.webhookChain + 2);
    assert.equal(got.at(-1)?.path, '/hook/other');
    assert.equal((await hooks.logs(other)).length, 1);
  });

  test('the receiver gets the trace of the request', async () => {
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

  test('a document that changes quickly sends only its newest state', async () => {
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
    const warnings = hooks.observed.filter(({ kind }) => kind === 'warning');
    assert.match(JSON.stringify(warnings), /changes again and again/);
  });

  test('an import sends nothing if its user may disable webhooks', async () => {
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

  test('fixtures and patches send nothing', async () => {
    const { name: hook } = await hooks.webhook();
    await inTurn(hooks.site, (ctx) => createDocument(ctx, 'Note', { name: `fixture-${engine}`, title: 'x' }));
    await hooks.note();
    await hooks.receiver.count(1);
    assert.equal((await hooks.logs(hook)).length, 1);
  });

  test('a webhook created by an import works at once', async () => {
    const body = {
      webhook_doctype: 'Note',
      webhook_docevent: 'after_insert',
      request_url: hooks.receiver.url,
    };
    await hooks.ok('POST', '/api/resource/Webhook', { body, headers: { 'chancery-import': '1' } });
    await hooks.note();
    await hooks.receiver.count(1);
  });

  test('nothing unexpected was observed', () => {
    assert.deepEqual(
      hooks.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });
});
