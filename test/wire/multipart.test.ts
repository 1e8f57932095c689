/** Uploads as no library would send them: refused in the envelope, with nothing left behind. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope, type RawReply, sendRaw } from '../support/wire.ts';

let site: TestSite;
before(async () => {
  const uploads = { maxBytes: 100_000, defaultPrivate: false, perUserBytes: 0, stripMetadata: true };
  site = await startTestSite('sqlite', { config: { uploads } });
});
afterEach(async () => {
  await site.ok('GET', '/api/method/frappe.auth.get_logged_user');
});
after(async () => {
  await site.stop();
  assert.deepEqual(
    site.observed.filter(({ kind }) => kind === 'unexpected'),
    [],
  );
});

const TYPE = 'multipart/form-data; boundary=B';
const FILE = 'Content-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\ncontent';

function field(name: string, value: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
}

function file(disposition: string): string {
  return `Content-Disposition: form-data; ${disposition}\r\n\r\nx`;
}

function body(...parts: readonly string[]): string {
  return `${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`;
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => field(`f${index}`, 'x'));
}

function post(text: string, type = TYPE): Promise<RawReply> {
  const bytes = Buffer.from(text, 'latin1');
  const lines = [
    'POST /api/method/upload_file HTTP/1.1',
    'Host: a',
    'Connection: close',
    `Authorization: token ${site.adminKey}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
  ];
  return sendRaw(site.url, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]));
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of site.site.storage.list()) found.push(key);
  return found;
}

async function files(): Promise<number> {
  return (await site.request('GET', '/api/method/frappe.client.get_count?doctype=File')).body.message;
}

describe('refused', () => {
  const broken = body(FILE);
  const long = 'x'.repeat(LIMITS.uploadFieldBytes + 1);
  const json = 'Content-Disposition: form-data; name="folder"\r\nContent-Type: application/json\r\n\r\n';
  const cases: readonly (readonly [name: string, text: string, type?: string])[] = [
    ['no boundary', broken, 'multipart/form-data'],
    ['an empty boundary', broken, 'multipart/form-data; boundary='],
    ['another boundary', broken, 'multipart/form-data; boundary=other'],
    [
      'a boundary of 300 characters that never comes',
      broken,
      `multipart/form-data; boundary=${'x'.repeat(300)}`,
    ],
    [
      'a boundary of 71 characters',
      body(FILE).replaceAll('--B', `--${'b'.repeat(71)}`),
      `multipart/form-data; boundary=${'b'.repeat(71)}`,
    ],
    ['a part that is nothing', body('x', FILE)],
    ['no closing boundary', `--B\r\n${FILE}\r\n`],
    ['cut off within the head of a part', '--B\r\nContent-Disposition: form-da'],
    ['cut off within the closing boundary', `--B\r\n${FILE}\r\n--B`],
    ['not multipart at all', '{"a":1}'],
    ['nothing at all', ''],
    ['only the end', '--B--\r\n'],
    ['a file without a name of its part', body(file('filename="f.txt"'))],
    ['an empty name of a part', body(file('name=""; filename="f.txt"'))],
    ['a field without a name', body('Content-Disposition: form-data\r\n\r\nx', FILE)],
    ['an empty file name', body(file('name="file"; filename=""'))],
    ['NUL in a file name', body(file('name="file"; filename="a\0b"'))],
    ['NUL in an encoded file name', body(file("name=file; filename*=UTF-8''a%00b"))],
    ['only dots as a file name', body(file('name="file"; filename=".."'))],
    ['NUL in a field', body(field('folder', 'Ho\0me'), FILE)],
    ['two files', body(FILE, FILE)],
    ['a field __proto__', body(field('__proto__', 'x'), FILE)],
    ['a field constructor', body(field('constructor', 'x'), FILE)],
    ['a field hasOwnProperty after the file', body(FILE, field('hasOwnProperty', 'x'))],
    ['a file in a part __proto__', body(file('name="__proto__"; filename="f"'))],
    ['a JSON field that is an object', body(`${json}{"a":1}`, FILE)],
    ['a JSON field with __proto__', body(`${json}{"__proto__":{"a":1}}`, FILE)],
    ['a JSON field that is broken', body(`${json}{`, FILE)],
    ['too many fields', body(...many(LIMITS.uploadFields + 1), FILE)],
    ['1,500 fields after the file', body(FILE, ...many(1_500))],
    ['a field too large', body(field('folder', long), FILE)],
    ['a field too large after the file', body(FILE, field('folder', long))],
    ['a file too large', body(`${FILE}${'x'.repeat(100_000)}`)],
  ];
  for (const [name, text, type] of cases) {
    test(name, async () => {
      const [keysBefore, filesBefore] = [await keys(), await files()];
      const reply = await post(text, type);
      assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} ${reply.text}`);
      assertEnvelope(reply, JSON.parse(reply.text).exc_type, reply.status);
      await until(async () => (await keys()).length === keysBefore.length);
      assert.deepEqual([await keys(), await files()], [keysBefore, filesBefore]);
    });
  }
  test('of a part with very many headers only the first count', async () => {
    const headers = Array.from({ length: 2_000 }, (_, index) => `X-${index}: 1\r\n`).join('');
    const reply = await post(body(`${headers}${FILE}`));
    assert.ok(reply.status < 500, reply.text);
  });
  test('an endless head of a part is refused', async () => {
    const reply = await post(`--B\r\nX-A: ${'a'.repeat(200_000)}`);
    assertEnvelope(reply, 'BadRequestError');
  });
});

describe('understood', () => {
  const cases: readonly (readonly [name: string, text: string, stored: object, type?: string])[] = [
    ['a preamble and an epilogue', `preamble\r\n${body(FILE)}epilogue`, {}],
    ['a quoted boundary', body(FILE), {}, 'multipart/form-data; boundary="B"'],
    ['a boundary before other parameters', body(FILE), {}, 'multipart/form-data; boundary=B; x=y'],
    [
      'headers of a part in capitals',
      body('CONTENT-DISPOSITION: FORM-DATA; NAME="file"; FILENAME="f.txt"\r\n\r\nx'),
      {},
    ],
    ['a header __proto__ of a part', body(`__proto__: x\r\n${FILE}`), {}],
    ['a header constructor of a part', body(`constructor: x\r\n${FILE}`), {}],
    ['other headers of a part', body(`X-A: 1\r\nX-B: 2\r\n${FILE}`), {}],
    [
      'a boundary of 70 characters',
      body(FILE).replaceAll('--B', `--${'b'.repeat(70)}`),
      {},
      `multipart/form-data; boundary=${'b'.repeat(70)}`,
    ],
    ['is_private before the file', body(field('is_private', '1'), FILE), { is_private: 1 }],
    ['is_private after the file', body(FILE, field('is_private', '1')), { is_private: 1 }],
    ['a path as a file name', body(file('name="file"; filename="../../etc/x.txt"')), { file_name: 'x.txt' }],
    [
      'a path of Windows as a file name',
      body(file('name="file"; filename="..\\..\\y.txt"')),
      { file_name: 'y.txt' },
    ],
    ['filename*', body(file("name=file; filename*=UTF-8''na%C3%AFve.txt")), { file_name: 'naïve.txt' }],
  ];
  for (const [name, text, stored, type] of cases) {
    test(name, async () => {
      const reply = await post(text, type);
      assert.equal(reply.status, 200, reply.text);
      const { message } = JSON.parse(reply.text);
      assert.partialDeepStrictEqual(message, stored);
      const isPrivate = 'is_private' in stored;
      assert.equal(message.file_url.startsWith('/private/files/'), isPrivate);
      assert.equal((await site.request('GET', message.file_url, { as: null })).status, isPrivate ? 403 : 200);
    });
  }
});
