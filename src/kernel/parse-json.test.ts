import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from './errors.ts';
import { LIMITS } from './limits.ts';
import { parseJson, parseJsonText } from './parse-json.ts';

const refused = (text: string) =>
  assert.throws(
    () => parseJsonText(text),
    (error) => error instanceof ServiceError && error.type === 'BadRequestError',
    text.slice(0, 60),
  );

test('plain JSON parses, and of duplicate keys the last one wins', () => {
  assert.deepEqual(parseJsonText('{"a":1,"b":[true,null,"é"],"a":2}'), { a: 2, b: [true, null, 'é'] });
  assert.equal(parseJsonText('"\\ud83d\\ude00"'), '😀');
  assert.deepEqual(parseJsonText('{"caf\\u00e9":"\\u0070"}'), { café: 'p' });
});

test('malformed JSON is a bad request', () => {
  for (const text of [
    '',
    '{',
    '{"a":}',
    "{'a':1}",
    '[1,]',
    'undefined',
    'NaN',
    '"a',
    '{"a":1} x',
    '\ufeff{}',
    '"\\',
  ]) {
    refused(text);
  }
});

test('bytes that are not UTF-8 are a bad request', () => {
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), ServiceError);
  assert.throws(() => parseJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), ServiceError);
});

test('nesting is limited before parsing; brackets inside texts do not count', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.ok(parseJsonText(nested(LIMITS.jsonDepth)));
  refused(nested(LIMITS.jsonDepth + 1));
  refused('{"a":'.repeat(100_000));
  refused('['.repeat(1_000_000));
  const brackets = JSON.stringify({ text: `${'['.repeat(100)}\\"${'{'.repeat(100)}\\\\` });
  assert.equal(JSON.stringify(parseJsonText(brackets)), brackets);
});

test('a key __proto__ is refused in any spelling; similar keys pass', () => {
  refused('{"__proto__":{"admin":1}}');
  refused('{"a":[{"\\u005f_proto__":1}]}');
  refused('{"__pr\\u006fto__":1}');
  assert.deepEqual(parseJsonText('{"note":"__proto__"}'), { note: '__proto__' });
  assert.equal(({} as Record<string, unknown>).admin, undefined);
});

test('NUL and lone surrogates are refused in values and keys', () => {
  refused('{"a":"x\\u0000y"}');
  refused('{"a\\u0000":1}');
  refused('["\\ud800"]');
  refused('{"\\uDFFF":1}');
});

test('a number beyond the range is refused, not changed to null', () => {
  refused('{"a":[1e400]}');
  refused('-1E+0309');
  assert.deepEqual(parseJsonText('[1e300,1e-400,"1e999"]'), [1e300, 0, '1e999']);
});
