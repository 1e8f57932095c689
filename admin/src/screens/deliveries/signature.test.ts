import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { bodySignature, checkSignature } from './signature.ts';

const KEY = Buffer.from('a key of some thirty-two bytes!!');
const SECRET = `whsec_${KEY.toString('base64')}`;
const BODY = '{"name": "Caf\u00e9"}';
const received = {
  secret: SECRET,
  bytes: new TextEncoder().encode(BODY),
  id: 'dlv_1',
  timestamp: '1767225600',
};
const plain = createHmac('sha256', SECRET).update(BODY);
const standard = createHmac('sha256', KEY).update(`dlv_1.1767225600.${BODY}`).digest('base64');

test('each signature header is verified', async () => {
  const digest = plain.digest();
  assert.equal(await bodySignature(SECRET, received.bytes), digest.toString('base64'));
  assert.equal(await checkSignature({ ...received, signature: digest.toString('base64') }), 'body');
  assert.equal(await checkSignature({ ...received, signature: ` sha256=${digest.toString('hex')}` }), 'hub');
  assert.equal(await checkSignature({ ...received, signature: `v1,AAAA v1,${standard}` }), 'standard');
});

test('another secret, body, time or signature fails', async () => {
  const signature = `v1,${standard}`;
  for (const wrong of [
    { secret: 'whsec_AAAA' },
    { bytes: new TextEncoder().encode(`${BODY} `) },
    { timestamp: '1767225601' },
    { id: 'dlv_2' },
    { signature: 'v1,AAAA' },
    { signature: '' },
    { secret: '' },
  ])
    assert.equal(await checkSignature({ ...received, signature, ...wrong }), null, JSON.stringify(wrong));
});

test('a custom secret is used as written', async () => {
  const signature = `v1,${createHmac('sha256', 'my own').update(`dlv_1.1767225600.${BODY}`).digest('base64')}`;
  assert.equal(await checkSignature({ ...received, secret: 'my own', signature }), 'standard');
});
