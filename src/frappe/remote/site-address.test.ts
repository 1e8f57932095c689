import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSiteAddress, parseSiteKey, siteOrigin } from './site-address.ts';

test('the address of a site is its origin; plain HTTP goes to this machine, or on request', () => {
  const accepted: readonly (readonly [string, boolean, string])[] = [
    ['https://erp.example.com', false, 'https://erp.example.com'],
    ['https://erp.example.com:8443/app/customer?x=1', false, 'https://erp.example.com:8443'],
    ['http://localhost:8000/', false, 'http://localhost:8000'],
    ['http://127.0.0.1:8000', false, 'http://127.0.0.1:8000'],
    ['http://[::1]:8000', false, 'http://[::1]:8000'],
    ['http://erp.internal:8000', true, 'http://erp.internal:8000'],
  ];
  for (const [text, isPlainAllowed, origin] of accepted) {
    assert.ok(isSiteAddress(text));
    assert.equal(siteOrigin(text, isPlainAllowed), origin);
  }
  for (const text of ['20260301-site-database.sql.gz', './https/backup.tar']) assert.ok(!isSiteAddress(text));
  const refused: readonly (readonly [string, RegExp])[] = [
    ['http://erp.internal:8000', /plain HTTP.*--plain-http/],
    ['http://127.0.0.1.example.com', /plain HTTP/],
    ['https://key:secret@erp.example.com', /must not contain credentials/],
    ['ftp://erp.example.com', /begins with https/],
    ['https://', /not an address/],
  ];
  for (const [text, words] of refused) {
    assert.throws(() => siteOrigin(text, false), { name: 'ValidationError', message: words });
  }
});

test('a key file has key:secret, with or without the word of the header', () => {
  for (const text of ['k3y:s3cret', 'token k3y:s3cret\n', ' k3y:s3cret\r\n']) {
    assert.equal(parseSiteKey(text), 'k3y:s3cret');
  }
  for (const text of ['', 'k3y', 'k3y:', 'a:b\nc:d', 'Bearer abc', 'k3y:s3 cret']) {
    assert.throws(() => parseSiteKey(text), /key:secret/);
  }
});
