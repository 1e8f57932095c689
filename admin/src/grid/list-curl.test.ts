import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf } from './list-curl.ts';

test('a shell parses the command into the intended arguments, for any values', () => {
  const filters = [['title', 'like', `%O'Brien $(id) \`id\` "x"\\%`]];
  const line = curlOf('http://127.0.0.1:8000', '/api/resource/Sales%20Invoice', {
    filters,
    limit_start: 0,
    or_filters: undefined,
  });
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], {
    encoding: 'utf8',
  });
  assert.deepEqual(printed.split('\0').slice(0, -1), [
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
