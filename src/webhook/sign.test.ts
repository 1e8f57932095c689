import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { systemRandom } from '../kernel/random.ts';
import { newSecret, signBody, signMessage } from './sign.ts';

const NOW = Math.floor(Date.now() / 1000);

function headers(secret: string, body: Uint8Array): Record<string, string> {
  return {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(NOW),
    'webhook-signature': signMessage(secret, 'dlv_1', NOW, body),
  };
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
    assert.equal(signBody('super-secret', Buffer.from(body)), signature);
  }
});

test('the standardwebhooks library verifies a generated secret', () => {
  const secret = newSecret(systemRandom());
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  fc.assert(
    fc.property(fc.json(), (json) => {
      const body = Buffer.from(json);
      new Webhook(secret).verify(json, headers(secret, body));
      assert.throws(() => new Webhook(secret).verify(`${json} `, headers(secret, body)));
    }),
    { numRuns: 50 },
  );
});

test("a creator's own secret keys the message with its text", () => {
  const secret = 'my own secret, not base64';
  new Webhook(secret, { format: 'raw' }).verify('{}', headers(secret, Buffer.from('{}')));
});

test('the signed timestamp and id cannot be changed', () => {
  const secret = newSecret(systemRandom());
  const signed = headers(secret, Buffer.from('{}'));
  assert.throws(() => new Webhook(secret).verify('{}', { ...signed, 'webhook-id': 'dlv_2' }));
  assert.throws(() => new Webhook(secret).verify('{}', { ...signed, 'webhook-timestamp': String(NOW + 1) }));
});
