import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf, headersOf } from './delivery-curl.ts';

test('a shell passes the exact request, for any content', () => {
  const request = {
    method: 'POST',
    url: "http://receiver/it's?a=1&b=$HOME",
    headers: { 'X-Kind': 'a "b" `c`' },
    body: `{"a": "it's $(ls)",\n"b": "\\\\"}`,
  };
  const command = curlOf(request).replace(/^curl/, "printf '%s\\0'");
  const passed = execFileSync('sh', ['-c', command]).toString().split('\0').slice(0, -1);
  assert.deepEqual(passed, [
    '-X',
    'POST',
    request.url,
    '-H',
    'X-Kind: a "b" `c`',
    '--data-binary',
    request.body,
  ]);
  assert.ok(!curlOf({ ...request, body: '' }).includes('--data'));
});

test('malformed headers are omitted', () => {
  assert.deepEqual(headersOf('{"a": 1, "b": "x"}'), { a: '1', b: 'x' });
  for (const text of [null, '', 'x', '[1]', 'null']) assert.deepEqual(headersOf(text), {});
});
