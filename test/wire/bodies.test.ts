/** What a body may be: encodings, content types, JSON that cannot be stored or would mean two things. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../src/kernel/limits.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope, type RawReply, sendRaw } from '../support/wire.ts';

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
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

const ECHO = '/api/method/notes.echo';
const JSON_TYPE = 'Content-Type: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function post(body: string | Buffer, headers: string = JSON_TYPE, path = ECHO): Promise<RawReply> {
  const bytes = Buffer.from(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    'Connection: close',
    `Authorization: token ${site.adminKey}`,
    `Content-Length: ${bytes.length}`,
    ...(headers === '' ? [] : [headers]),
  ];
  return sendRaw(site.url, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]));
}

async function echo(body: string | Buffer, headers?: string): Promise<unknown> {
  const reply = await post(body, headers);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text).message;
}

const nested = (depth: number, open = '[', close = ']') =>
  `{"a":${open.repeat(depth - 1)}${open === '[' ? '' : '1'}${close.repeat(depth - 1)}}`;

const STATUS_TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  413: 'RequestTooLargeError',
  415: 'UnsupportedMediaTypeError',
  417: 'ValidationError',
};

type Case = readonly [name: string, body: string | Buffer, status?: number, headers?: string];

function refuses(cases: readonly Case[]): void {
  for (const [name, body, status = 400, headers] of cases) {
    test(`${name}: ${status}`, async () =>
      assertEnvelope(await post(body, headers), STATUS_TYPES[status] ?? '', status));
  }
}

describe('invalid text', () => {
  refuses([
    ['invalid UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['overlong UTF-8', Buffer.from('{"a":"\xc0\xaf"}', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
    ['invalid UTF-8 in a form', Buffer.from('a=\xff', 'latin1'), 400, FORM],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['a byte order mark', '\ufeff{"a":1}'],
    ['NUL as an escape', '{"a":"\\u0000"}'],
    ['NUL in a nested key', '{"a":[{"b\\u0000":1}]}'],
    ['NUL as a byte', '{"a":"\0"}'],
    ['NUL in a form', 'a=%00', 400, FORM],
    ['a lone high surrogate', '{"a":"\\ud800"}'],
    ['a lone low surrogate', '{"a":"\\uDC00"}'],
    ['surrogates the wrong way round', '{"a":"\\udc00\\ud800"}'],
    ['a lone surrogate in a key', '{"\\ud800":1}'],
  ]);
  test('surrogate pairs are characters', async () =>
    assert.deepEqual(await echo('{"a":"\\ud83d\\ude00"}'), { a: '😀' }));
});

describe('JSON', () => {
  refuses([
    ['malformed', '{"a":'],
    ['something after the end', '{"a":1}x'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['a key __proto__', '{"__proto__":{"admin":1}}'],
    ['a nested key __proto__', '{"a":[{"__proto__":{"admin":1}}]}'],
    ['an escaped key __proto__', '{"\\u005f_proto__":{"admin":1}}'],
    ['a key __proto__ escaped elsewhere', '{"__\\u0070roto__":{"admin":1}}'],
    ['1e400', '{"a":1e400}'],
    ['-1E+400', '{"a":[-1E+400]}'],
    ['a number of 400 digits', `{"a":${'1'.repeat(400)}}`],
    ['a number of 300 digits and an exponent', `{"a":${'1'.repeat(300)}e99}`],
    ['a scalar', '42', 417],
    ['a text', '"a"', 417],
    ['arrays nested too deep', nested(LIMITS.jsonDepth + 1)],
    ['objects nested too deep', nested(LIMITS.jsonDepth + 1, '{"a":', '}')],
    ['100,000 brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['5,000,000 brackets without an end', '['.repeat(5_000_000)],
  ]);

  test('the greatest permitted depth is accepted', async () => {
    await echo(nested(LIMITS.jsonDepth));
    await echo(nested(LIMITS.jsonDepth, '{"a":', '}'));
  });

  test('the depth of a JSON parameter is limited', async () => {
    const deep = '['.repeat(LIMITS.jsonDepth + 1);
    const reply = await site.request('GET', `/api/resource/Note?filters=${deep}`);
    assert.ok(reply.status === 400 || reply.status === 417, reply.text);
    assertEnvelope(reply, reply.body.exc_type, reply.status);
  });

  test('constructor and prototype are ordinary keys', async () => {
    const body = '{"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":1}';
    assert.deepEqual(await echo(body), JSON.parse(body));
    const created = await post(
      `{"name":"plain","title":"T",${body.slice(1)}`,
      JSON_TYPE,
      '/api/resource/Note',
    );
    assert.equal(created.status, 200, created.text);
    assert.equal(Object.hasOwn(JSON.parse(created.text).data, 'constructor'), false);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  test('the last of duplicate keys counts everywhere', async () => {
    assert.deepEqual(await echo('{"a":1,"a":2}'), { a: 2 });
    assert.deepEqual(await echo('{"a":{"b":1,"b":2}}'), { a: { b: 2 } });
    const twice = '{"name":"dup-a","name":"dup-b","title":"T"}';
    for (const [body, headers] of [
      [twice, JSON_TYPE],
      [`data=${encodeURIComponent(twice.replaceAll('dup', 'form'))}`, FORM],
    ] as const) {
      const reply = await post(body, headers, '/api/resource/Note');
      assert.match(JSON.parse(reply.text).data.name, /-b$/, reply.text);
    }
  });

  test('integers beyond 2^53 are refused in a whole number', async () => {
    const create = (timeout: string) =>
      post(
        `{"webhook_doctype":"Note","webhook_docevent":"on_update","request_url":"https://example.com/","timeout":${timeout}}`,
        JSON_TYPE,
        '/api/resource/Webhook',
      );
    assert.equal((await create('10')).status, 200);
    for (const value of ['9007199254740993', '-9007199254740993', '1e300', '"9007199254740993"']) {
      const reply = await create(value);
      assertEnvelope(reply, JSON.parse(reply.text).exc_type, 417);
      assert.match(reply.text, /Timeout/i, value);
    }
  });
});

describe('content types', () => {
  const MULTIPART = 'Content-Type: multipart/form-data; boundary=x';
  const part = (name: string, value: string, more = '') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  refuses([
    ['text/plain', 'a=1', 415, 'Content-Type: text/plain'],
    ['text/plain of blanks', ' \n', 415, 'Content-Type: text/plain'],
    ['an array as text/plain', '[1]', 415, 'Content-Type: text/plain'],
    ['XML', '<a/>', 415, 'Content-Type: application/xml'],
    ['a type that is none', 'a=1', 415, 'Content-Type: nonsense'],
    ['an empty type', 'a=1', 415, 'Content-Type: '],
    ['no type', 'a=1', 415, ''],
    ['JSON by a longer name', '[]', 415, 'Content-Type: application/jsonx'],
    ['a multipart form with a file', `${part('f', 'x', '; filename="f"')}--x--`, 415, MULTIPART],
    ['a multipart form without its end', part('a', '1'), 400, MULTIPART],
    [
      'a multipart form without a boundary',
      `${part('a', '1')}--x--`,
      400,
      'Content-Type: multipart/form-data;',
    ],
    ['a part without a name', '--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--', 400, MULTIPART],
    ['two values in a multipart form', `${part('a', '1')}${part('a', '2')}--x--`, 400, MULTIPART],
    ['NUL in a multipart form', `${part('a', '\0')}--x--`, 400, MULTIPART],
    ['invalid UTF-8 in a multipart form', Buffer.from(`${part('a', '\xff')}--x--`, 'latin1'), 400, MULTIPART],
    ['too many fields of a form', '&'.repeat(LIMITS.formFields), 413, FORM],
    [
      'too many fields of a multipart form',
      `${part('a', '1').repeat(LIMITS.formFields + 1)}--x--`,
      413,
      MULTIPART,
    ],
    ['gzip', gzipSync('{"a":1}'), 415, `${JSON_TYPE}\r\nContent-Encoding: gzip`],
    ['brotli, named in capitals', 'x', 415, `${JSON_TYPE}\r\nContent-Encoding: BR`],
    ['broken JSON as a form', '{"a":', 400, FORM],
    ['broken JSON as text', '{"a":', 400, 'Content-Type: text/plain'],
    ['JSON nested too deep as text', nested(LIMITS.jsonDepth + 1), 400, 'Content-Type: text/plain'],
    ['a key __proto__ in JSON as a form', '{"__proto__":{"admin":1}}', 400, FORM],
    ['NUL in JSON without a type', '{"a":"\\u0000"}', 400, ''],
  ]);
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json\t; x',
    'application/json ;x="y"',
    'Application/JSON',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'text/plain;charset=UTF-8',
    'text/plain;application/json',
    'application/octet-stream',
    'application/jsonx',
    'multipart/form-data; boundary=x',
    'nonsense',
    '',
  ]) {
    test(`a JSON object of the type ${JSON.stringify(type)} is JSON`, async () =>
      assert.deepEqual(await echo(' \r\n\t{"a":"é"}', `Content-Type: ${type}`), { a: 'é' }));
  }
  test('a JSON object without a type is JSON', async () =>
    assert.deepEqual(await echo('{"a":"é"}', ''), { a: 'é' }));
  test('fields of a multipart form are those of a form', async () => {
    const body = `${part('a', 'é\r\n2')}${part('b', '')}${part('b', '', '\r\nContent-Length: 0')}--x--\r\n`;
    assert.deepEqual(await echo(body, MULTIPART), { a: 'é\r\n2', b: '' });
    const most = Array.from({ length: LIMITS.formFields }, (_, index) => part(`f${index}`, 'v')).join('');
    const fields = (await echo(`${most}--x--`, MULTIPART)) as object;
    assert.equal(Object.keys(fields).length, LIMITS.formFields);
  });
  test('+ is a blank in a form, and %2B is +', async () =>
    assert.deepEqual(await echo('a+b=c+%2B+%C3%A9+', FORM), { 'a b': 'c + é ' }));
  test('a part without a filename is a field, whatever its type', async () => {
    const typed = part('a', '1', '\r\nContent-Type: application/octet-stream');
    assert.deepEqual(await echo(`${typed}--x--`, MULTIPART), { a: '1' });
  });
  test('Content-Encoding: identity is none', async () =>
    assert.deepEqual(await echo('{"a":1}', `${JSON_TYPE}\r\nContent-Encoding: identity`), { a: 1 }));
  test('an empty body has no arguments, whatever its type', async () => {
    for (const headers of [JSON_TYPE, FORM, 'Content-Type: text/plain', '']) {
      assert.deepEqual(await echo('', headers), {});
    }
  });
  test('a JSON body replaces the query, a form overrides it, an array is data', async () => {
    const send = async (body: string, headers: string) =>
      JSON.parse((await post(body, headers, `${ECHO}?a=query&b=query`)).text).message;
    assert.deepEqual(await send('{"a":1}', JSON_TYPE), { a: 1 });
    assert.deepEqual(await send('{"a":1}', FORM), { a: 1 });
    assert.deepEqual(await send('a=form', FORM), { a: 'form', b: 'query' });
    assert.deepEqual(await send(`${part('a', 'form')}--x--`, MULTIPART), { a: 'form', b: 'query' });
    assert.deepEqual(await send('[1]', JSON_TYPE), { data: [1] });
  });
});
