import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Busboy } from '@fastify/busboy';
import fc from 'fast-check';
import { LIMITS } from '../../kernel/limits.ts';
import { PartCount } from './part-count.ts';
import { type PlainPart, parsePlainForm } from './plain-form.ts';

const TYPE = 'multipart/form-data; boundary=B';

/** What the parser that streams makes of a form: the parts, or null if it refuses or skips anything. */
function streamed(bytes: Buffer, type: string): Promise<PlainPart[] | null> {
  const count = new PartCount(type);
  count.add(bytes);
  return new Promise((resolve) => {
    const parts: PlainPart[] = [];
    let isRefused = false;
    const refuse = () => {
      isRefused = true;
    };
    const parser = new Busboy({
      headers: { 'content-type': type },
      limits: { files: 1, fields: LIMITS.uploadFields, parts: LIMITS.uploadFields + 1 },
    });
    parser.on('field', (fieldname, value) => parts.push({ type: 'field', fieldname, value }));
    parser.on('file', (fieldname, stream, filename) => {
      const pieces: Buffer[] = [];
      const index = parts.push({ type: 'file', fieldname, filename, file: Buffer.alloc(0) }) - 1;
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        parts[index] = { type: 'file', fieldname, filename, file: Buffer.concat(pieces) };
      });
      stream.on('error', refuse);
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, refuse);
    parser.on('error', () => resolve(null));
    parser.on('finish', () => resolve(isRefused || parts.length < count.parts ? null : parts));
    parser.end(bytes);
  });
}

async function agree(bytes: Buffer, type = TYPE): Promise<boolean> {
  const plain = parsePlainForm(bytes, type);
  if (plain) assert.deepEqual(plain, await streamed(bytes, type), JSON.stringify(bytes.toString('latin1')));
  return plain !== null;
}

/** A file is last in `parts`, unless it is null. */
async function formOf(
  parts: readonly (readonly [string, string | Blob, string?])[],
): Promise<[Buffer, string]> {
  const form = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, filename);
  }
  const response = new Response(form);
  return [Buffer.from(await response.arrayBuffer()), response.headers.get('content-type') ?? ''];
}

describe('a plain form', () => {
  test('is what the usual clients send, and has the parts that the other parser finds', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    for (const file of [bytes, bytes.subarray(0, 0), Buffer.from('\r\n--'), Buffer.from('\r\n')]) {
      const [body, type] = await formOf([
        ['doctype', 'Note'],
        ['empty', ''],
        ['folder', '\ufeffHome/Überblick \ud83d\ude00\r\n'],
        ['file', new Blob([file], { type: 'image/png' }), 'A photo (1).png'],
        ['is_private', '1'],
      ]);
      assert.ok(await agree(body, type));
      const found = parsePlainForm(body, type)?.find((part) => part.type === 'file');
      assert.deepEqual(found, { type: 'file', fieldname: 'file', filename: 'A photo (1).png', file });
    }
    const curl = Buffer.from(
      '--------------------------d74496d66958873e\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n' +
        'Content-Type: text/plain\r\n\r\nhello\r\n--------------------------d74496d66958873e--\r\n',
    );
    assert.ok(await agree(curl, 'multipart/form-data; boundary=------------------------d74496d66958873e'));
  });

  test('has neither odd headers, nor more parts than allowed, nor text around the parts', () => {
    const part = (head: string, value = 'v') => `--B\r\n${head}\r\n\r\n${value}\r\n`;
    const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
    const file = `${named('file')}; filename="a"`;
    for (const text of [
      '',
      '--B--',
      part(named('a')),
      `${part(named('a'))}--B`,
      `${part(named('a'))}--Bx`,
      `${part(named('a'))}--B-`,
      `${part(named('a'))}--B--x`,
      `\r\n${part(named('a'))}--B--`,
      `text${part(named('a'))}--B--`,
      `--B \r\n${named('a')}\r\n\r\nv\r\n--B--`,
      `--B\r\n${named('a')}\r\n--B--`,
      `--B\r\n${named('a')}\r\n\r\n--B--`,
      `${part('')}--B--`,
      `${part('Content-Type: text/plain')}--B--`,
      `${part(`${named('a')}\r\nContent-Type: application/json`)}--B--`,
      `${part(`${file}\r\nContent-Transfer-Encoding: base64`)}--B--`,
      `${part(`${file}\r\nContent-Type: text/plain; charset=latin1`)}--B--`,
      `${part(`${named('file')}; filename="../a"`)}--B--`,
      `${part(`${named('file')}; filename=".."`)}--B--`,
      `${part(`${named('file')}; filename=""`)}--B--`,
      `${part(`${named('file')}; filename="a\\"b"`)}--B--`,
      `${part(`${named('file')}; filename="%22"`)}--B--`,
      `${part(`${named('file')}; filename="ü"`)}--B--`,
      `${part(`${named('file')}; filename*=utf-8''a`)}--B--`,
      `${part(named(''))}--B--`,
      `${part(named('constructor'))}--B--`,
      `${part(named('x'.repeat(1_000)))}--B--`,
      `${part(file)}${part(file)}--B--`,
      `${part(named('a')).repeat(LIMITS.uploadFields + 1)}--B--`,
    ]) {
      assert.equal(parsePlainForm(Buffer.from(text), TYPE), null, text);
    }
    const plain = Buffer.from(`${part(named('a')).repeat(LIMITS.uploadFields)}${part(file)}--B--`);
    assert.equal(parsePlainForm(plain, TYPE)?.length, LIMITS.uploadFields + 1);
    for (const type of ['', 'multipart/mixed; boundary=B', 'multipart/form-data', `${TYPE}; charset=utf-8`]) {
      assert.equal(parsePlainForm(plain, type), null, type);
    }
  });

  test('has the same parts for the other parser, however it is broken', async () => {
    const token = fc.constantFrom(
      ...['\r\n', '\r', '\n', '--', '-', '--B', '\r\n--B', '--B--', '"', '\\', ';', ':', ' ', '\t', '%', '/'],
      ...[
        'name="a"',
        'filename="b.txt"',
        'filename',
        'form-data',
        '\r\n\r\n',
        'Content-Type: text/html',
        '\0',
      ],
      ...['\xc3\xbc', '\xff', '\xef\xbb\xbf', 'B', 'x', "'", '*', '=', '__proto__', 'Content-Disposition'],
    );
    const head = fc.constantFrom(
      'Content-Disposition: form-data; name="a"',
      'content-disposition: form-data; name="b c"',
      'Content-Disposition: form-data; name="file"; filename="b.txt"',
      'Content-Disposition: form-data; name="file"; filename="b.txt"\r\nContent-Type: image/svg+xml',
    );
    const value = fc.array(fc.oneof(token, fc.string({ maxLength: 5 })), { maxLength: 6 });
    const part = fc.tuple(head, value).map(([first, rest]) => `--B\r\n${first}\r\n\r\n${rest.join('')}\r\n`);
    const edit = fc.record({ at: fc.nat(400), gone: fc.nat(3), token: fc.option(token, { nil: '' }) });
    const form = fc
      .record({
        parts: fc.array(part, { maxLength: 4 }),
        end: fc.constantFrom('--B--\r\n', '--B--'),
        edits: fc.array(edit, { maxLength: 2 }),
      })
      .map(({ parts, end, edits }) =>
        edits.reduce(
          (text, { at, gone, token: added }) => text.slice(0, at) + added + text.slice(at + gone),
          parts.join('') + end,
        ),
      );
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(form, async (text) => {
        if (await agree(Buffer.from(text, 'latin1'))) plain += 1;
      }),
      { numRuns: 2_000 },
    );
    assert.ok(plain > 100, `only ${plain} forms were plain`);
  });
});
