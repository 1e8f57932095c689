/** `verify()` of `chancery/client`: deliveries as the server sends them, and everything that is almost one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, verify, WebhookVerificationError } from '../../src/client.ts';
import { signatureHeaders, signBody, signingKey, signMessage } from '../../src/webhook/send/sign.ts';
import type { Received } from '../support/receiver.ts';
import { startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';

let hooks: WebhookSite;
let delivery: Received;
let secret: string;
before(async () => {
  hooks = await startWebhookSite('sqlite');
  ({ secret } = await hooks.webhook());
  await hooks.request('POST', '/api/resource/Note', { body: { name: 'N', title: 'Ünï' } });
  const [first] = await hooks.receiver.count(1);
  assert.ok(first);
  delivery = first;
});
after(() => hooks.stop());

test('a genuine delivery verifies in every form that a receiver may have', async () => {
  const headers = delivery.headers as Record<string, string>;
  for (const body of [delivery.body, delivery.body.toString('utf8')]) {
    for (const form of [headers, new Headers(headers)]) {
      const event = await verify<{ name: string; title: string }>({ headers: form, body, secret });
      assert.equal(event.doctype, 'Note');
      assert.equal(event.event, 'after_insert');
      assert.equal(event.attempt, 1);
      assert.equal(event.id, headers['webhook-id']);
      assert.equal(event.data.title, 'Ünï');
    }
  }
});

test('a request changed in any part is refused', async () => {
  const headers = delivery.headers as Record<string, string>;
  const { body } = delivery;
  const refused = (changed: Record<string, string | undefined>, more: object = {}) =>
    assert.rejects(
      verify({ headers: { ...headers, ...changed }, body, secret, ...more }),
      WebhookVerificationError,
      JSON.stringify(changed),
    );
  await refused({ 'webhook-id': 'other' });
  await refused({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) });
  await refused({ 'webhook-timestamp': 'soon' });
  await refused({ 'webhook-signature': 'v1,AAAA' });
  await refused({ 'webhook-signature': 'v2,AAAA %' });
  await refused({ 'x-service-webhook-signature': 'AAAA' });
  await refused({}, { body: Buffer.concat([body, Buffer.from(' ')]) });
  await refused({}, { secret: `${secret}x` });
  await refused({}, { now: Date.now() + 400_000 });
  await refused({}, { now: Date.now() - 400_000 });
  await assert.rejects(verify({ headers: {}, body, secret }), /no signature/);
});

test('either signature alone is sufficient, with any kind of secret', async () => {
  const body = '{"a":1}';
  const bytes = Buffer.from(body);
  const now = 1_700_000_000_000;
  for (const secret of [
    'plain text',
    'whsec_not base64!',
    `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  ]) {
    const plain = { 'x-frappe-webhook-signature': signBody(signingKey(secret), bytes) };
    assert.deepEqual((await verify({ headers: plain, body, secret })).data, { a: 1 });
    const signature = signMessage(signingKey(secret), 'id', now / 1000, bytes);
    const standard = {
      'webhook-id': 'id',
      'webhook-timestamp': String(now / 1000),
      'webhook-signature': `v1,AAAA ${signature}`,
    };
    assert.equal((await verify({ headers: standard, body, secret, now })).id, 'id');
  }
});

test('during an overlap a receiver may know either secret or both', async () => {
  const [old, fresh] = ['the old one', `whsec_${Buffer.alloc(32, 7).toString('base64')}`] as const;
  const keys = { old: signingKey(old), fresh: signingKey(fresh) };
  const signing = { alone: keys.old, next: keys.fresh, all: [keys.fresh, keys.old] };
  const body = '{"a": 1}';
  const message = { id: 'dlv_1', seconds: Math.floor(Date.now() / 1000), body: Buffer.from(body) };
  const headers = signatureHeaders(signing, message, false);
  for (const secret of [old, fresh, [old, fresh], ['neither', fresh]]) {
    assert.equal((await verify({ headers, body, secret })).id, 'dlv_1');
  }
  for (const secret of ['neither', [], ['neither', 'nor']]) {
    await assert.rejects(verify({ headers, body, secret }), WebhookVerificationError);
  }
});

test('a change made because of a delivery carries its chain', async () => {
  const given = { ...(delivery.headers as Record<string, string>), 'webhook-chain': '3.ids.mac' };
  const event = await verify({ headers: given, body: delivery.body, secret });
  assert.equal(event.chain, 3);
  assert.equal(event.sequence, Number(delivery.headers['webhook-sequence']));
  const sent: (string | null)[] = [];
  const client = createClient<{ Note: { name: string; title: string } }>({
    url: 'http://127.0.0.1:9',
    token: 'a:b',
    fetch: async (_url, init) => {
      sent.push(new Headers(init?.headers).get('webhook-chain'));
      return Response.json({ data: {}, message: {} });
    },
  });
  await client.create('Note', { title: 'x' }, { because: event });
  await client.update('Note', 'x', { title: 'y' }, { because: event });
  await client.delete('Note', 'x', { because: event });
  await client.call('ping', {}, { because: event });
  await client.create('Note', { title: 'x' });
  assert.deepEqual(sent, [...Array(4).fill('3.ids.mac'), null]);
});
