import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHeaders } from './content-headers.ts';
import { sniffImage } from './content-type.ts';
import { select } from './select-content.ts';
import type { StoredFile } from './stored-file.ts';

const file: StoredFile = {
  fileUrl: '/files/a.txt',
  storageKey: 'k',
  fileName: 'a.txt',
  imageType: '',
  sha256: 'abc',
  bytes: 100,
  isPrivate: false,
  createdAt: '2026-11-21 10:00:00.500000',
};

test('ranges select what RFC 9110 says', () => {
  const table: [string, unknown][] = [
    ['bytes=0-9', [{ start: 0, end: 9 }]],
    ['BYTES= 0-9 ', [{ start: 0, end: 9 }]],
    ['bytes=90-', [{ start: 90, end: 99 }]],
    ['bytes=90-1000', [{ start: 90, end: 99 }]],
    ['bytes=-10', [{ start: 90, end: 99 }]],
    ['bytes=-1000', [{ start: 0, end: 99 }]],
    ['bytes=99-99', [{ start: 99, end: 99 }]],
    [
      'bytes=5-6, 0-1 ,-2',
      [
        { start: 5, end: 6 },
        { start: 0, end: 1 },
        { start: 98, end: 99 },
      ],
    ],
    ['bytes=0-1,100-', [{ start: 0, end: 1 }]],
    ['bytes=100-,200-300', 'unsatisfiable'],
    ['bytes=0-49,50-99', 'whole'],
    ['bytes=0-98,0-98', 'whole'],
    [`bytes=${Array.from({ length: 20 }, () => '0-0').join(',')}`, Array(20).fill({ start: 0, end: 0 })],
    [`bytes=${Array.from({ length: 21 }, () => '0-0').join(',')}`, 'whole'],
    ['bytes=0-1,x', 'whole'],
    ['bytes=0-1,,5-6', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-1', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['lines=0-1', 'whole'],
    ['bytes=99999999999999999999-', 'whole'],
  ];
  for (const [range, expected] of table) assert.deepEqual(select(file, { range }), expected, range);
  assert.equal(select({ ...file, bytes: 0 }, { range: 'bytes=0-' }), 'unsatisfiable');
  assert.equal(select({ ...file, bytes: 0 }, { range: 'bytes=-5' }), 'unsatisfiable');
});

test('conditions are checked in order', () => {
  const range = 'bytes=0-0';
  const later = 'Sat, 21 Nov 2026 10:00:00 GMT';
  const earlier = 'Sat, 21 Nov 2026 09:59:59 GMT';
  assert.equal(select(file, { ifNoneMatch: '"x", W/"abc"' }), 'not modified');
  assert.equal(select(file, { ifNoneMatch: '*' }), 'not modified');
  assert.equal(select(file, { ifNoneMatch: '"x"', ifModifiedSince: later }), 'whole');
  assert.equal(select(file, { ifModifiedSince: later }), 'not modified');
  assert.equal(select(file, { ifModifiedSince: earlier }), 'whole');
  assert.equal(select(file, { ifModifiedSince: 'yesterday' }), 'whole');
  assert.deepEqual(select(file, { range, ifRange: '"abc"' }), [{ start: 0, end: 0 }]);
  assert.deepEqual(select(file, { range, ifRange: later }), [{ start: 0, end: 0 }]);
  assert.equal(select(file, { range, ifRange: '"old"' }), 'whole');
  assert.equal(select(file, { range, ifRange: 'W/"abc"' }), 'whole');
  assert.equal(select(file, { ifMatch: '"x"' }), 'changed');
  assert.equal(select(file, { ifMatch: 'W/"abc"' }), 'changed');
  assert.equal(select(file, { ifMatch: '"x", "abc"', ifUnmodifiedSince: earlier }), 'whole');
  assert.equal(select(file, { ifMatch: '*', ifNoneMatch: '*' }), 'not modified');
  assert.equal(select(file, { ifUnmodifiedSince: earlier }), 'changed');
  assert.equal(select(file, { ifUnmodifiedSince: later }), 'whole');
});

test('only recognised images, plain text and PDF are shown inline', () => {
  const image = contentHeaders({ ...file, fileName: 'a.png', imageType: 'image/png' });
  assert.equal(image['content-type'], 'image/png');
  assert.equal(image['content-disposition'], 'inline; filename="a.png"');
  for (const [fileName, type] of [
    ['a.txt', 'text/plain; charset=utf-8'],
    ['A.PDF', 'application/pdf'],
  ] as const) {
    const headers = contentHeaders({ ...file, fileName });
    assert.equal(headers['content-type'], type);
    assert.equal(headers['content-disposition'], `inline; filename="${fileName}"`);
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
    assert.match(contentHeaders({ ...file, fileName }, true)['content-disposition'] ?? '', /^attachment;/);
  }
  for (const fileName of [
    'a.svg',
    'a.html',
    'a.htm',
    'a.xml',
    'a.js',
    'a.xhtml',
    'fake.png',
    'noextension',
  ]) {
    const headers = contentHeaders({ ...file, fileName });
    assert.match(headers['content-disposition'] ?? '', /^attachment;/, fileName);
    assert.equal(headers['content-type'], 'application/octet-stream', fileName);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
  }
});

test('images are recognised by their first bytes', () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
  assert.equal(sniffImage(bytes('\x89PNG\r\n\x1a\n....')), 'image/png');
  assert.equal(sniffImage(bytes('\xff\xd8\xff\xe0')), 'image/jpeg');
  assert.equal(sniffImage(bytes('GIF89a')), 'image/gif');
  assert.equal(sniffImage(bytes('RIFF\0\0\0\0WEBPVP8 ')), 'image/webp');
  assert.equal(sniffImage(bytes('\0\0\0\x20ftypavif')), 'image/avif');
  assert.equal(sniffImage(bytes('\0\0\0\x20ftypisom')), null);
  assert.equal(sniffImage(bytes('<svg xmlns=')), null);
  assert.equal(sniffImage(bytes('')), null);
});
