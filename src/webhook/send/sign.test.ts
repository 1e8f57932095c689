import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { systemRandom } from '../../kernel/random.ts';
import { newSecret, type Signing, signatureHeaders, signBody, signingKey } from './sign.ts';

const NOW = Math.floor(Date.now() / 1000);
const [FIRST, SECOND, THIRD] = [1, 2, 3].map(() => newSecret(systemRandom())) as [string, string, string];

/** As when none of these is retired. */
function signingOf(newest: string, ...former: string[]): Signing {
  const all = [newest, ...former].map(signingKey);
  const [first, oldest] = [all[0], all.at(-1)];
  assert.ok(first && oldest);
  return { alone: oldest, next: oldest === first ? null : first, all };
}

function headers(signing: Signing, body: string, hub = false): Record<string, string> {
  return signatureHeaders(signing, { id: 'dlv_1', seconds: NOW, body: Buffer.from(body) }, hub);
}

function hmac(secret: string, body: string, encoding: 'base64' | 'hex'): string {
  return createHmac('sha256', secret).update(body).digest(encoding);
}

test('the body signature equals the reference vectors', () => {
  const vectors = [
    [
      '{"name": "TICK-0001", "subject": "Caf\\u00e9 \\u2713", "n": 1.0, "i": 3, "none": null, "d": "2026-11-21 10:00:00.123456", "nested": [{"a": 1}]}',
      'l2E8uYMIAQAdqGX4udHr6ri51wfB4G9OauOrYeZOQWY=',
    ],
    ['{}', '6+2rhdFO0rxGC7aB4vAGQT23aLBqKSQ+aWG64QGvfwA='],
  ] as const;
  for (const [body, signature] of vectors) {
    assert.equal(signBody(signingKey('super-secret'), Buffer.from(body)), signature);
    assert.equal(headers(signingOf('super-secret'), body)['x-frappe-webhook-signature'], signature);
  }
});

test('the libraries standardwebhooks and svix verify a generated secret, and no other body', () => {
  assert.match(FIRST, /^whsec_[A-Za-z0-9+/]{43}=$/);
  fc.assert(
    fc.property(fc.json(), (json) => {
      const signed = headers(signingOf(FIRST), json);
      for (const webhook of [new Webhook(FIRST), new SvixWebhook(FIRST)]) {
        webhook.verify(json, signed);
        assert.throws(() => webhook.verify(`${json} `, signed));
      }
      for (const webhook of [new Webhook(SECOND), new SvixWebhook(SECOND)]) {
        assert.throws(() => webhook.verify(json, signed));
      }
    }),
    { numRuns: 50 },
  );
});

test('a custom secret signs with its text', () => {
  for (const secret of ['my own secret, not base64', 'whsec_no base64!', 'whsec_', 'ünï']) {
    const signed = headers(signingOf(secret), '{}');
    // The library takes its characters one by one.
    const raw = Buffer.from(secret, 'utf8').toString('latin1');
    new Webhook(raw, { format: 'raw' }).verify('{}', signed);
    assert.equal(signed['x-service-webhook-signature'], hmac(secret, '{}', 'base64'));
  }
});

test('the signed timestamp and id cannot be changed', () => {
  const signed = headers(signingOf(FIRST), '{}');
  for (const webhook of [new Webhook(FIRST), new SvixWebhook(FIRST)]) {
    assert.throws(() => webhook.verify('{}', { ...signed, 'webhook-id': 'dlv_2' }));
    assert.throws(() => webhook.verify('{}', { ...signed, 'webhook-timestamp': String(NOW + 1) }));
  }
});

test('during an overlap each secret verifies, and a second header has the next signature', () => {
  const signed = headers(signingOf(THIRD, SECOND, FIRST), '{"a": 1}', true);
  for (const secret of [FIRST, SECOND, THIRD]) {
    new Webhook(secret).verify('{"a": 1}', signed);
    new SvixWebhook(secret).verify('{"a": 1}', signed);
  }
  assert.equal(signed['webhook-signature']?.split(' ').length, 3);
  assert.equal(signed['x-service-webhook-signature'], hmac(FIRST, '{"a": 1}', 'base64'));
  assert.equal(signed['x-frappe-webhook-signature'], hmac(FIRST, '{"a": 1}', 'base64'));
  assert.equal(signed['x-service-webhook-signature-next'], hmac(THIRD, '{"a": 1}', 'base64'));
  assert.equal(signed['x-hub-signature-256'], `sha256=${hmac(FIRST, '{"a": 1}', 'hex')}`);
});

test('optional signatures are not sent by default', () => {
  const names = Object.keys(headers(signingOf(FIRST), '{}')).sort();
  assert.deepEqual(names, [
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-frappe-webhook-signature',
    'x-service-webhook-signature',
  ]);
});
