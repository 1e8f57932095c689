import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { LIMITS } from '../../kernel/limits.ts';
import { type Awaiting, Silence } from './silence.ts';

let silence: Silence;
/** How each attempt to connect goes on, oldest first. */
let attempts: PromiseWithResolvers<void>[];
let now: number;

beforeEach(() => {
  now = 1_000;
  attempts = [];
  mock.timers.enable({ apis: ['setInterval'] });
  mock.method(performance, 'now', () => now);
  silence = new Silence(() => {
    const attempt = Promise.withResolvers<void>();
    attempts.push(attempt);
    return attempt.promise;
  });
});
afterEach(() => {
  silence.close();
  mock.timers.reset();
  mock.restoreAll();
});

class Client extends EventEmitter implements Awaiting {
  readyForQuery = false;
  readonly connection = { stream: new Duplex({ read() {}, write() {} }) };
}

/** A connection that waits from now on for an answer, or to be accepted. */
function waiting(): Client {
  const client = new Client();
  silence.watch(client);
  return client;
}

const isBroken = (client: Client) => client.connection.stream.destroyed;

function pass(millis: number): void {
  now += millis;
  mock.timers.tick(millis);
}

async function timeOut(): Promise<void> {
  attempts.shift()?.reject(new Error('timeout expired'));
  // The attempt has ended, and so has what follows.
  await new Promise(setImmediate);
}

test('connections that wait are broken when another one is not accepted either', async () => {
  const client = waiting();
  pass(LIMITS.databaseSilence + 500);
  assert.equal(attempts.length, 1);
  assert.equal(isBroken(client), false);
  await timeOut();
  assert.equal(isBroken(client), true);
});

test('a database that accepts a connection again is silent no longer, however slowly it accepts', async () => {
  waiting();
  pass(LIMITS.databaseSilence + 500);
  await timeOut();
  const soon = waiting();
  // Each takes longer than those that are watched get.
  pass(1_000);
  assert.equal(isBroken(soon), true);
  assert.equal(attempts.length, 1);
  attempts.shift()?.resolve();
  await new Promise(setImmediate);
  const later = waiting();
  pass(1_000);
  assert.equal(isBroken(later), false);
});

for (const error of [new Error('sorry, too many clients already'), new Error('connect ECONNREFUSED')]) {
  test(`"${error.message}" is an answer`, async () => {
    waiting();
    pass(LIMITS.databaseSilence + 500);
    await timeOut();
    pass(500);
    attempts.shift()?.reject(error);
    await new Promise(setImmediate);
    const later = waiting();
    pass(1_000);
    assert.equal(isBroken(later), false);
    assert.equal(attempts.length, 0);
  });
}

test('what is heard meanwhile counts more than an attempt that got no answer', async () => {
  const client = waiting();
  pass(LIMITS.databaseSilence + 500);
  pass(500);
  silence.heard();
  await timeOut();
  assert.equal(isBroken(client), false);
});
