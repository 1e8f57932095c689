import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type TestContext, test } from 'node:test';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { DEFAULT_CONFIG } from '../../config/config.ts';
import { queueWhenLate } from './late-queue.ts';

/** Milliseconds of the event loop that each request to /work takes here. */
const EACH = 100;
const LATENESS = 20;
/** Requests after which the server is late. */
const BUSY = Array(3).fill('/work');

/** A server whose clock goes on only while it works, and for so many milliseconds as it reads a request. */
function server(t: TestContext, reading = 0) {
  let now = 100_000;
  const pass = (millis: number) => {
    now += millis;
  };
  t.mock.method(performance, 'now', () => now);
  const app = Fastify();
  const seen: FastifyRequest[] = [];
  app.addHook('onRequest', (request, _reply, done) => {
    seen.push(request);
    pass(reading);
    done();
  });
  queueWhenLate(app, { ...DEFAULT_CONFIG.admission, lateness: LATENESS, patience: 21 * EACH });
  app.get('/work', async () => pass(EACH));
  app.get('/quick', async () => pass(1));
  return { app, pass, seen };
}

async function statuses(app: FastifyInstance, paths: readonly string[]): Promise<number[]> {
  const replies = await Promise.all(paths.map((path) => app.inject(path)));
  return replies.map(({ statusCode }) => statusCode);
}

test('a request that would queue too long is refused at once, and all others are answered', async (t) => {
  const { app, pass } = server(t);
  let flood: Promise<number[]> | null = null;
  app.get('/flood', async () => {
    pass(EACH);
    flood = statuses(app, Array(40).fill('/work'));
  });
  // The pace is known after some requests.
  const first = await statuses(app, [...Array(12).fill('/work'), '/flood', '/work', '/work']);
  assert.deepEqual(first, Array(15).fill(200));
  // Two requests wait already. Behind ten, a request expects to wait for half of the patience.
  assert.deepEqual(await flood, [...Array(9).fill(200), ...Array(40 - 9).fill(503)]);
});

for (const [what, millis] of [
  ['one slow request', 3_000],
  ['a freeze of the process', 600_000],
] as const) {
  test(`${what} has no later request refused`, async (t) => {
    const { app, pass } = server(t);
    app.get('/slow', async () => pass(millis));
    await statuses(app, [...BUSY, ...Array(12).fill('/quick'), '/slow', ...Array(12).fill('/quick')]);
    let last: number[] = [];
    for (let burst = 0; burst < 12; burst += 1) {
      pass(1_000);
      last = await statuses(app, [...BUSY, ...Array(60).fill('/quick')]);
    }
    assert.deepEqual(last, Array(63).fill(200));
  });
}

test('each queued request keeps its asynchronous context', async (t) => {
  const { app } = server(t, LATENESS + 1);
  const caller = new AsyncLocalStorage<string>();
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('caller', caller.getStore());
  });
  const callers = Array.from({ length: 5 }, (_, index) => `caller ${index}`);
  const replies = await Promise.all(
    callers.map((name) => caller.run(name, async () => await app.inject('/work'))),
  );
  assert.deepEqual(
    replies.map(({ headers }) => headers['caller']),
    callers,
  );
});

test('a queued request whose client has gone is not started', async (t) => {
  const { app, pass, seen } = server(t, LATENESS + 1);
  const started: string[] = [];
  app.addHook('onRequest', async ({ url }) => {
    started.push(url);
  });
  app.get('/hang-up', async () => {
    pass(EACH);
    const gone = seen.find(({ url }) => url === '/gone');
    Object.defineProperty(gone?.raw, 'socket', { value: { destroyed: true } });
  });
  const sent = [...BUSY, '/hang-up', '/gone'].map(async (path) => app.inject(path));
  await Promise.all(sent.slice(0, -1));
  await app.inject('/quick');
  assert.deepEqual(started, [...BUSY, '/hang-up', '/quick']);
});
