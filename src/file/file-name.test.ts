import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../kernel/limits.ts';
import { disposition } from './content-headers.ts';
import { displayName, fileUrl, parseFileUrl, urlName, withSuffix } from './file-name.ts';

const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({
    unit: fc.constantFrom('.', '/', '\\', '\0', '%', ' ', 'é', 'e\u0301', '😀', '\u202e', 'a', '"'),
    maxLength: 300,
  }),
);

test('any string gives a valid name for a URL', () => {
  fc.assert(
    fc.property(anyName, (sent) => {
      const name = urlName(sent);
      assert.match(name, /^[\p{L}\p{M}\p{N}_()+@-][\p{L}\p{M}\p{N}._()+@-]*$/u);
      assert.ok([...name].length <= 100);
      assert.equal(name, name.normalize('NFC'));
      for (const isPrivate of [true, false]) {
        const url = fileUrl(name, isPrivate);
        assert.deepEqual(parseFileUrl(url), { name, isPrivate });
        // What a client makes of it is what we compare with.
        assert.equal(decodeURIComponent(new URL(url, 'http://host').pathname), url);
      }
    }),
  );
});

test('any string gives a display name without path, control or direction-changing characters', () => {
  fc.assert(
    fc.property(anyName, (sent) => {
      const name = displayName(sent);
      assert.doesNotMatch(name, /[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]|^\.+$/u);
      assert.ok(name.isWellFormed());
      assert.ok([...name].length <= LIMITS.fileNameLength);
      assert.equal(displayName(name), name);
    }),
  );
});

test('any display name gives a valid Content-Disposition with that name', () => {
  fc.assert(
    fc.property(anyName, (sent) => {
      const name = displayName(sent);
      const header = disposition('attachment', name);
      assert.match(
        header,
        /^attachment; filename="[^"\\]*"(?:; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]*)?$/,
      );
      const encoded = /filename\*=UTF-8''(.*)$/.exec(header)?.[1];
      assert.equal(encoded === undefined ? /"(.*)"/.exec(header)?.[1] : decodeURIComponent(encoded), name);
    }),
  );
});

test('a file keeps its own name', () => {
  assert.equal(displayName('Résumé 2026 (final).pdf'), 'Résumé 2026 (final).pdf');
  assert.equal(displayName('C:\\Users\\me\\x.txt'), 'x.txt');
  assert.equal(displayName('../../etc/passwd'), 'passwd');
  assert.equal(displayName('..'), '');
  assert.equal(displayName('evil\u202egpj.exe'), 'evilgpj.exe');
  assert.equal(urlName('Résumé 2026 #1.pdf'), 'Résumé_2026_1.pdf');
  assert.equal(urlName('.htaccess'), 'htaccess');
  assert.equal(urlName('???'), '_');
  assert.equal(urlName(''), 'file');
});

test('a long name is cut before its extension', () => {
  const name = displayName(`${'x'.repeat(300)}.pdf`);
  assert.equal(name.length, LIMITS.fileNameLength);
  assert.ok(name.endsWith('x.pdf'));
});

test('a suffix goes before the extension', () => {
  assert.equal(withSuffix('a.tar.gz', 'abc123'), 'a.tar-abc123.gz');
  assert.equal(withSuffix('plain', 'abc123'), 'plain-abc123');
});

test('only urls of stored files are recognised', () => {
  for (const url of [
    '/files/',
    '/files/a/b',
    '/files/..',
    '/private/files/.',
    '/Files/a',
    'files/a',
    '/files/a\\b',
    '//files/a',
    '',
  ]) {
    assert.equal(parseFileUrl(url), null, url);
  }
});
