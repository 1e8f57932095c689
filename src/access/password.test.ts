import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { ServiceError } from '../kernel/errors.ts';
import { hashPassword, isKnownHash, needsRehash, verifyPassword } from './password.ts';

test('a password fits its own hash and no other', async () => {
  const hash = await hashPassword('correct horse 🐎');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(hash, await hashPassword('correct horse 🐎'));
  assert.equal(await verifyPassword('correct horse 🐎', hash), true);
  assert.equal(await verifyPassword('correct horse', hash), false);
  assert.equal(await verifyPassword('', hash), false);
  assert.equal(needsRehash(hash), false);
});

test('a missing or malformed hash matches no password', async () => {
  for (const hash of [
    null,
    '',
    'plain',
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$',
    '$2b$10$abcdefghijklmnopqrstuv',
  ]) {
    assert.equal(await verifyPassword('secret', hash), false);
  }
  assert.equal(needsRehash('plain'), true);
});

test('a hash with other parameters verifies, and is marked for renewal', async () => {
  const nonce = Buffer.from('0123456789abcdef');
  const tag = argon2Sync('argon2id', {
    message: 'old',
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 1024,
    passes: 1,
  });
  const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const hash = `$argon2id$v=19$m=1024,t=1,p=1$${plain(nonce)}$${plain(tag)}`;
  assert.equal(await verifyPassword('old', hash), true);
  assert.equal(needsRehash(hash), true);
});

test('hashes of passlib, which Frappe stores, verify and are marked for renewal', async () => {
  const hashes = [
    '$pbkdf2-sha256$29000$MDEyMzQ1Njc4OWFiY2RlZg$yl6JN/sSmnIrUxFsGGRTYN2qcmPINu9A2dn84RW69wI',
    '$argon2i$v=19$m=512,t=2,p=2$MDEyMzQ1Njc4OWFiY2RlZg$W7GGPwfbBLKNk3FHq3kYHQ',
  ];
  for (const hash of hashes) {
    assert.equal(await verifyPassword('ana-secret-1', hash), true, hash);
    assert.equal(await verifyPassword('ana-secret-2', hash), false, hash);
    assert.equal(needsRehash(hash), true);
    assert.equal(isKnownHash(hash), true);
  }
  assert.equal(isKnownHash('$pbkdf2-sha256$9999999$MDEy$yl6JN/sSmnIrUxFsGGRTYN2qcmPINu9A2dn84RW69wI'), false);
  assert.equal(isKnownHash('*'), false);
});

test('empty and overlong passwords are refused', async () => {
  await assert.rejects(hashPassword(''), ServiceError);
  await assert.rejects(hashPassword('x'.repeat(513)), ServiceError);
  assert.equal(await verifyPassword('x'.repeat(100_000), null), false);
});

test('a flood of logins is refused, and admitted logins are answered', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword('x', null)));
  const refused = answers.filter((answer) => answer.status === 'rejected');
  assert.equal(refused.length, 60 - 52);
  for (const { reason } of refused) {
    assert.ok(reason instanceof ServiceError);
    assert.equal(reason.status, 503);
    assert.equal(reason.details.headers?.['Retry-After'], '2');
  }
  assert.equal(await verifyPassword('x', null), false);
});
