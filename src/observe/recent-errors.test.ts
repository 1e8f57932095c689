import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { RecentErrors } from './recent-errors.ts';

const request = { method: 'GET', path: '/api/resource/Note', user: 'ann@example.com' };
const refusal = (requestId: string) =>
  ({ kind: 'request_refused', requestId, request, status: 503, message: 'The server is busy' }) as const;

test('known secrets, and texts like credentials, are masked in messages and stacks', () => {
  const errors = new RecentErrors(systemClock(), ['p4ss-of-the-database']);
  const error = new Error(
    'cannot use postgres://app:p4ss-of-the-database@db/x with {"api_key": "k1", "password":"hunter2"} ' +
      'and Authorization: token key-1:secret-1 and sid=abc123 and whsec_Zm9v',
    { cause: new Error('smtp://me:other@mail') },
  );
  errors.note({ kind: 'unexpected', where: 'http', error, requestId: 'r1', request });
  const [told] = errors.list('r1');
  const text = JSON.stringify(told);
  for (const secret of ['p4ss', 'k1"', 'hunter2', 'secret-1', 'abc123', 'Zm9v', 'other']) {
    assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }
  assert.match(told?.stack ?? '', /recent-errors\.test\.ts/);
});

test('equal refusals in a row are one entry, found by the id of each', () => {
  const errors = new RecentErrors(systemClock(), []);
  for (const id of ['r1', 'r2', 'r3']) errors.note(refusal(id));
  assert.deepEqual(
    errors.list().map(({ times, status }) => [times, status]),
    [[3, 503]],
  );
  for (const id of ['r1', 'r2', 'r3']) assert.equal(errors.list(id).length, 1, id);
  assert.deepEqual(errors.list('r4'), []);
});

test('the newest come first, the oldest leave, and other observations are no errors', () => {
  const errors = new RecentErrors(systemClock(), []);
  for (let n = 0; n <= LIMITS.recentErrors; n += 1)
    errors.note({ kind: 'unexpected', where: `task ${n}`, error: new Error(`failure ${n}`) });
  errors.note({ kind: 'stopped' });
  const list = errors.list();
  assert.equal(list.length, LIMITS.recentErrors);
  assert.equal(list[0]?.where, `task ${LIMITS.recentErrors}`);
  assert.equal(list.at(-1)?.where, 'task 1');
});

test('a long message is cut, and no part of a credential is left at the cut', () => {
  const errors = new RecentErrors(systemClock(), []);
  const message = `${'x '.repeat(LIMITS.recentErrorMessage / 2 - 15)}whsec_${'A'.repeat(40)}`;
  errors.note({ kind: 'unexpected', where: 'task', error: message });
  const [told] = errors.list();
  assert.ok((told?.message.length ?? 0) <= LIMITS.recentErrorMessage);
  assert.ok(!told?.message.includes('AAAA'));
});
