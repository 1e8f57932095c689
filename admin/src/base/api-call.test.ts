import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { type ApiCall, curlOf, queryTexts } from './api-call.ts';

const HOSTILE = `%O'Brien $(id) \`id\` "x"\\%`;

function argumentsOf(call: ApiCall): readonly string[] {
  const line = curlOf('http://127.0.0.1:8000', call);
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], {
    encoding: 'utf8',
  });
  return printed.split('\0').slice(0, -1);
}

test('a shell parses the command into the intended arguments, for any values', () => {
  const filters = [['title', 'like', HOSTILE]];
  const query = queryTexts({ filters, limit_start: 0, or_filters: undefined });
  assert.deepEqual(argumentsOf({ verb: 'GET', path: '/api/resource/Sales%20Invoice', query, body: '' }), [
    '-G',
    'http://127.0.0.1:8000/api/resource/Sales%20Invoice',
    '-H',
    'Authorization: token <api_key>:<api_secret>',
    '--data-urlencode',
    `filters=${JSON.stringify(filters)}`,
    '--data-urlencode',
    'limit_start=0',
  ]);
});

test('a body is one argument, and its query is part of the address', () => {
  const body = JSON.stringify({ title: HOSTILE });
  const [verb, name, address, ...rest] = argumentsOf({ verb: 'PUT', path: '/x', query: { a: 'b c' }, body });
  assert.deepEqual([verb, name, address], ['-X', 'PUT', 'http://127.0.0.1:8000/x?a=b+c']);
  assert.equal(rest.at(-1), body);
});
