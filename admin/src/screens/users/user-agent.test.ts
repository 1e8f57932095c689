import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortAgent } from './user-agent.ts';

test('a long user agent is shown in two words', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36';
  assert.equal(shortAgent(chrome), 'Chrome, Windows');
  assert.equal(shortAgent(`${chrome} Edg/156.0`), 'Edge, Windows');
  assert.equal(shortAgent('Mozilla/5.0 (Linux; Android 16) Gecko/140 Firefox/140.0'), 'Firefox, Android');
  assert.equal(shortAgent('python-requests/2.32'), '');
});
