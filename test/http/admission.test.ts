/**
 * What happens when more is asked for at once than there is room for: some wait, some are refused, the rest
 * goes on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineMethod } from '../../src/document/verbs/method.ts';
import { engineOf } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { PATIENT, type RequestOptions, startTestSite, type TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

/** Nothing waits: what finds no place is refused, and a late server refuses nothing more. */
const UNQUEUED = { ...PATIENT, patience: 0, lateness: 0 };

/** An app with a method that lasts until it is let go. */
function holding() {
  let release = () => {};
  let gone = new Promise<void>((resolve) => {
    release = resolve;
  });
  let inside = 0;
  let heard: (() => void) | null = null;
  const app = {
    name: 'holding',
    methods: {
      hold: defineMethod({
        http: ['GET'],
        run: async () => {
          inside += 1;
          heard?.();
          await gone;
          return 'done';
        },
      }),
    },
  };
  return {
    app,
    inside: () => inside,
    async entered(count: number) {
      while (inside < count)
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
    },
    release() {
      release();
    },
    again() {
      inside = 0;
      gone = new Promise<void>((resolve) => {
        release = resolve;
      });
    },
  };
}

function assertBusy(reply: TestReply): void {
  assertEnvelope(reply, 'ServiceUnavailableError');
  assert.equal(reply.headers.get('retry-after'), '1');
}

for (const engine of engineOf('admission')) {
  test(`a full class is 503 for more of it, and nothing else, until there is room, on ${engine}`, async () => {
    const { app, entered, release, again } = holding();
    const admission = { ...UNQUEUED, lists: 2 };
    const { request, createUser, stop } = await startTestSite(engine, {
      apps: [notes, app],
      config: { admission },
    });
    try {
      const users = [await createUser('a@example.com', []), await createUser('b@example.com', [])];
      const held = users.map((as) => request('GET', '/api/method/hold', { as }));
      await entered(2);
      assertBusy(await request('GET', '/api/method/hold'));
      assertBusy(await request('GET', '/api/resource/Note'));
      assertBusy(
        await request('GET', '/api/v2/doctype/Note/count').then((reply) => ({ ...reply, ...v1(reply) })),
      );

      assert.equal((await request('GET', '/health', { as: null })).status, 200);
      assert.equal((await request('GET', '/ready', { as: null })).status, 200);
      const made = await request('POST', '/api/resource/Note', { body: { name: 'n', title: 'T' } });
      assert.equal(made.status, 200);
      assert.equal((await request('GET', '/api/resource/Note/n')).status, 200);

      release();
      for (const { status, body } of await Promise.all(held))
        assert.deepEqual([status, body.message], [200, 'done']);
      assert.equal((await request('GET', '/api/resource/Note')).status, 200);
      // Refusals and failures gave their places back too.
      for (let index = 0; index < 5; index += 1) {
        assert.equal((await request('GET', '/api/resource/Nothing')).status, 404);
      }
      again();
      const once = users.map((as) => request('GET', '/api/method/hold', { as }));
      await entered(2);
      release();
      for (const { status } of await Promise.all(once)) assert.equal(status, 200);
    } finally {
      await stop();
    }
  });
}

/** The second version's errors in the first one's shape, to compare. */
function v1({ status, body }: TestReply): Partial<TestReply> {
  const [error] = body.errors;
  assert.equal(error.type, 'ServiceUnavailableError');
  const exception = `frappe.exceptions.${error.type}: ${error.message}`;
  const message = { message: error.message, title: error.title, indicator: 'red', raise_exception: 1 };
  return {
    status,
    text: JSON.stringify({
      exc_type: error.type,
      exception,
      exc: JSON.stringify([exception]),
      _server_messages: JSON.stringify([JSON.stringify(message)]),
    }),
  };
}

test('one user has half of a class; who waits has a turn', async () => {
  const { app, entered, inside, release } = holding();
  const admission = { ...PATIENT, lists: 4 };
  const { request, createUser, stop } = await startTestSite('sqlite', { apps: [app], config: { admission } });
  try {
    const greedy = await createUser('greedy@example.com', []);
    const other = await createUser('other@example.com', []);
    const held = Array.from({ length: 6 }, () => request('GET', '/api/method/hold', { as: greedy }));
    await entered(2);
    held.push(request('GET', '/api/method/hold', { as: other }));
    await entered(3);
    assert.equal((await request('GET', '/api/method/frappe.client.get_count?doctype=User')).status, 200);
    assert.equal(inside(), 3);
    release();
    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    assert.equal(inside(), 7);
  } finally {
    await stop();
  }
});

test('every request gives back its place, whoever its caller turns out to be', async () => {
  const admission = { ...UNQUEUED, reads: 2, lists: 2, writes: 2, uploads: 2, logins: 2 };
  const metrics = { token: 'a-token-for-prometheus' };
  const site = await startTestSite('sqlite', { apps: [notes], config: { admission, metrics } });
  try {
    const clerk = await site.createUser('clerk@example.com', []);
    await site.make('Note', { name: 'n', title: 'T' });
    const signIn = { usr: 'Administrator', pwd: 'admin-password' };
    const signedIn = await site.request('POST', '/api/method/login', { as: null, body: signIn });
    const cookie = { cookie: signedIn.headers.getSetCookie().join('; ') };
    const tag = (await site.request('GET', '/api/resource/Note/n')).headers.get('etag') ?? '';
    const cases: readonly [expected: number, method: string, path: string, options?: RequestOptions][] = [
      [200, 'GET', '/metrics'],
      [200, 'GET', '/metrics', { as: `Bearer ${metrics.token}` }],
      [401, 'GET', '/metrics', { as: 'token a:b' }],
      [403, 'GET', '/metrics', { as: clerk }],
      [403, 'GET', '/metrics', { as: null }],
      [200, 'GET', '/api/resource/Note/n'],
      [200, 'HEAD', '/api/resource/Note/n'],
      [304, 'GET', '/api/resource/Note/n', { headers: { 'if-none-match': tag } }],
      [404, 'GET', '/api/resource/Note/nothing'],
      [200, 'GET', '/api/resource/Note'],
      [403, 'GET', '/api/resource/Note', { as: null }],
      [200, 'GET', '/api/method/frappe.auth.get_logged_user', { as: null, headers: cookie }],
      [200, 'POST', '/api/method/login', { as: null, body: signIn }],
      [401, 'POST', '/api/method/login', { as: null, body: { ...signIn, pwd: 'another' } }],
      [200, 'PUT', '/api/resource/Note/n', { body: { title: 'U' } }],
      [417, 'PUT', '/api/resource/Note/n', { body: { title: '' } }],
      [400, 'PUT', '/api/resource/Note/n', { body: '{' }],
      [417, 'POST', '/api/method/upload_file', { body: {} }],
      [200, 'POST', '/api/method/logout', { as: null }],
    ];
    for (const [expected, method, path, options] of cases) {
      const statuses = [];
      for (let time = 0; time < 3; time += 1)
        statuses.push((await site.request(method, path, options)).status);
      assert.deepEqual(
        statuses,
        [expected, expected, expected],
        `${method} ${path} ${JSON.stringify(options)}`,
      );
    }
  } finally {
    await site.stop();
  }
});

test('a client that hangs up while it waits has nothing done', async () => {
  const { app, entered, inside, release } = holding();
  const admission = { ...PATIENT, lists: 1 };
  const { url, request, stop, adminKey } = await startTestSite('sqlite', {
    apps: [app],
    config: { admission },
  });
  try {
    const first = request('GET', '/api/method/hold');
    await entered(1);
    const abort = new AbortController();
    const headers = { authorization: `token ${adminKey}` };
    const waiting = fetch(`${url}/api/method/hold`, { headers, signal: abort.signal });
    // A request behind it on the way: when that is answered, the first one waits.
    assert.equal((await request('GET', '/api/resource/User/Guest')).status, 200);
    abort.abort();
    await assert.rejects(waiting);
    assert.equal((await request('GET', '/api/resource/User/Guest')).status, 200);
    release();
    assert.equal((await first).status, 200);
    assert.equal((await request('GET', '/api/method/hold')).status, 200);
    assert.equal(inside(), 2);
  } finally {
    await stop();
  }
});

const blocking = {
  name: 'blocking',
  methods: {
    block: defineMethod({
      http: ['GET'],
      run: async () => {
        const end = performance.now() + 5;
        while (performance.now() < end);
        return 'done';
      },
    }),
  },
};

test('a server that is late refuses what has stood in line too long, all but /health, and then goes on', async () => {
  const admission = { ...PATIENT, lateness: 100, patience: 0 };
  const { request, stop } = await startTestSite('sqlite', { apps: [blocking], config: { admission } });
  try {
    const many = Array.from({ length: 150 }, () => request('GET', '/api/method/block'));
    const health = request('GET', '/health', { as: null });
    const replies = await Promise.all(many);
    assert.equal((await health).status, 200);
    const refused = replies.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < 150, `${refused.length} of 150 refused`);
    for (const reply of refused) assertBusy(reply);
    assert.equal((await request('GET', '/api/method/block')).status, 200);
  } finally {
    await stop();
  }
});

test('a burst stands in line and is done', async () => {
  const admission = { ...PATIENT, lateness: 1, patience: 60_000 };
  const { request, stop } = await startTestSite('sqlite', { apps: [blocking], config: { admission } });
  try {
    const replies = await Promise.all(Array.from({ length: 150 }, () => request('GET', '/api/method/block')));
    for (const { status } of replies) assert.equal(status, 200);
  } finally {
    await stop();
  }
});

test('a few clients that keep the server busy are not refused', async () => {
  const admission = { ...PATIENT, lateness: 1 };
  const { request, stop } = await startTestSite('sqlite', { config: { admission } });
  try {
    for (let round = 0; round < 10; round += 1) {
      const reads = Array.from({ length: 15 }, () => request('GET', '/api/resource/User/Guest'));
      for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
    }
  } finally {
    await stop();
  }
});
