import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logObserver } from './log.ts';

function logged(): { lines: () => Record<string, unknown>[]; observe: ReturnType<typeof logObserver> } {
  const written: string[] = [];
  const observe = logObserver({ write: (line) => void written.push(line) });
  return { lines: () => written.map((line) => JSON.parse(line)), observe };
}

test('a request is one line, without its query string', () => {
  const { lines, observe } = logged();
  observe({
    kind: 'request',
    id: 'r1',
    method: 'POST',
    url: '/?cmd=login&usr=a&pwd=canary',
    status: 200,
    user: 'Guest',
    millis: 1.5,
  });
  assert.equal(lines().length, 1);
  assert.equal(lines()[0]?.msg, 'request');
  assert.equal(lines()[0]?.url, '/');
  assert.ok(!JSON.stringify(lines()).includes('canary'));
});

test('an unexpected error shows its stack and cause, but nothing that a driver hung on it', () => {
  const { lines, observe } = logged();
  const error = Object.assign(new Error('broken', { cause: new Error('socket') }), {
    parameters: ['canary'],
  });
  observe({ kind: 'unexpected', where: 'http', error, requestId: 'r2' });
  observe({ kind: 'unexpected', where: 'http', error: 'just text' });
  const [line, text] = lines();
  assert.equal(line?.level, 50);
  assert.equal(line?.requestId, 'r2');
  assert.match(JSON.stringify(line?.error), /broken.*socket/);
  assert.ok(!JSON.stringify(line).includes('canary'));
  assert.deepEqual(text?.error, { message: 'just text' });
});
