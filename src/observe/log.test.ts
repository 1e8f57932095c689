import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../kernel/observation.ts';
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

test('an unexpected error shows its stack and cause, but no properties of the driver', () => {
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

/** Text lines, without the time of day. */
function texts(observations: readonly Observation[]): string[] {
  const written: string[] = [];
  const observe = logObserver({ write: (line) => void written.push(line) }, 'text');
  for (const observation of observations) observe(observation);
  return written.map((line) => {
    assert.match(line, /^\d\d:\d\d:\d\d .*\n$/s);
    return line.slice(9);
  });
}

test('as text, each observation is a line with its level, kind and facts', () => {
  const request = { kind: 'request', id: 'r1', method: 'POST', status: 200, user: 'Guest' } as const;
  const [asked, warning, started, given, ...more] = texts([
    { ...request, url: '/api/resource/Ticket?pwd=canary', millis: 12.345 },
    { kind: 'warning', message: 'Change this' },
    { kind: 'started', url: 'http://127.0.0.1:8000', millis: 900 },
    { kind: 'delivery_given_up', delivery: 'd1', webhook: 'To the shop', reason: 'http_status' },
    { kind: 'file_stored', bytes: 5 },
  ]);
  assert.equal(
    asked,
    'INFO  request id=r1 method=POST status=200 user=Guest url=/api/resource/Ticket millis=12.3\n',
  );
  assert.equal(warning, 'WARN  warning Change this\n');
  assert.equal(started, 'INFO  started url=http://127.0.0.1:8000 millis=900\n');
  assert.equal(given, 'WARN  delivery_given_up delivery=d1 webhook="To the shop" reason=http_status\n');
  assert.deepEqual(more, []);
});

test('as text, the stack of an error and its cause are lines of their own', () => {
  const error = new Error('broken', { cause: new Error('socket') });
  const [line = ''] = texts([{ kind: 'unexpected', where: 'http', error, requestId: 'r2' }]);
  const [head, first, second, ...rest] = line.split('\n');
  assert.equal(head, 'ERROR unexpected where=http requestId=r2');
  assert.equal(first, '  Error: broken');
  assert.match(second ?? '', /^ {6}at .*log\.test\.ts/);
  assert.ok(rest.includes('  Caused by: Error: socket'), line);
  const [text] = texts([{ kind: 'unexpected', where: 'http', error: 'just text' }]);
  assert.equal(text, 'ERROR unexpected where=http\n  just text\n');
});

test('as text, no control character from a request reaches the terminal', () => {
  const nasty = 'a\u001b[2Jb\u009b31mc\u202ed\r\ne\u0007';
  const lines = texts([
    { kind: 'request', id: nasty, method: 'GET', url: `/${nasty}`, status: 404, user: nasty, millis: 1 },
    { kind: 'warning', message: nasty },
    { kind: 'unexpected', where: nasty, error: new Error(nasty, { cause: nasty }) },
    { kind: 'audit', name: 'x', event: nasty, user: nasty },
  ]);
  assert.equal(lines.length, 4);
  for (const line of lines) {
    assert.doesNotMatch(line.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
    assert.match(line, /a\\u001b\[2Jb\\u009b31mc\\u202ed/);
  }
});

test('lines below the level are left out, in both formats', () => {
  const observations: readonly Observation[] = [
    { kind: 'file_stored', bytes: 5 },
    { kind: 'stopped' },
    { kind: 'warning', message: 'Change this' },
    { kind: 'unexpected', where: 'http', error: 'broken' },
  ];
  const counts = { debug: 4, info: 3, warn: 2, error: 1 } as const;
  for (const format of ['json', 'text'] as const)
    for (const [level, count] of Object.entries(counts)) {
      const written: string[] = [];
      const stream = { write: (line: string) => void written.push(line) };
      const observe = logObserver(stream, format, null, level as keyof typeof counts);
      for (const observation of observations) observe(observation);
      assert.equal(written.length, count, `${format} ${level}`);
    }
});
