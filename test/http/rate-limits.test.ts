/** How many requests a key, a user or an address may send, and what is said to those that send more. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { engineOf } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { type RequestOptions, startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

/** Long enough that nothing comes back while a test runs. */
const WINDOW = 3_600;

type Limits = Partial<Config['rateLimits']>;

async function withLimits(
  limits: Limits,
  run: (site: TestSite, read: (options?: RequestOptions) => Promise<TestReply>) => Promise<void>,
  config: Partial<Config> = {},
): Promise<void> {
  const rateLimits = { ...DEFAULT_CONFIG.rateLimits, window: WINDOW, ...limits };
  const site = await startTestSite('sqlite', { apps: [notes], config: { ...config, rateLimits } });
  try {
    await run(site, (options = {}) => site.request('GET', '/api/resource/Note', options));
  } finally {
    await site.stop();
  }
}

async function statuses(count: number, send: () => Promise<TestReply>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push((await send()).status);
  return found;
}

function assertExceeded(reply: TestReply): void {
  assertEnvelope(reply, 'RateLimitExceededError');
  assert.ok(Number(reply.headers.get('retry-after')) >= 1);
  assert.match(reply.headers.get('ratelimit') ?? '', /^"\w+";r=0;t=\d+$/);
}

describe('rate limits', () => {
  for (const engine of engineOf('rate limits')) {
    test(`defaults are far above 20 parallel reads per page, on ${engine}`, async () => {
      const site = await startTestSite(engine, { apps: [notes] });
      try {
        await site.request('POST', '/api/resource/Note', { body: { name: 'n', title: 'T' } });
        for (let page = 0; page < 10; page += 1) {
          const reads = Array.from({ length: 20 }, () => site.request('GET', '/api/resource/Note/n'));
          for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
        }
        const { headers } = await site.request('GET', '/api/resource/Note/n');
        assert.equal(headers.get('ratelimit-policy'), '"key";q=60000;w=60');
        assert.match(headers.get('ratelimit') ?? '', /^"key";r=59\d{3};t=\d$/);
      } finally {
        await site.stop();
      }
    });
  }

  test('a key that is used up leaves the others of its user alone, until the user is', async () => {
    await withLimits({ perKey: 5, perUser: 9 }, async (site, read) => {
      const one = await site.createUser('u@example.com', ['System Manager']);
      assert.deepEqual(await statuses(6, () => read({ as: one })), [200, 200, 200, 200, 200, 429]);
      // Written otherwise it is the same key.
      const [, secret = ''] = one.split(' ');
      for (const as of [`Basic ${btoa(secret)}`, `TOKEN   ${secret} `])
        assert.equal((await read({ as })).status, 429);
      assertExceeded(await read({ as: one }));
      const made = await site.call('frappe.core.doctype.user.user.generate_keys', { user: 'u@example.com' });
      const user = await site.request('GET', '/api/resource/User/u@example.com');
      const other = `token ${user.body.data.api_key}:${made.api_secret}`;
      assert.deepEqual(await statuses(5, () => read({ as: other })), [200, 200, 200, 200, 429]);
      assert.equal((await read()).status, 200);
    });
  });

  test('guests are counted by address, whatever they send', async () => {
    await withLimits({ perAddress: 3 }, async (site, read) => {
      let count = 0;
      const send = () => {
        count += 1;
        const headers = {
          'x-forwarded-for': `192.0.2.${count}`,
          'x-real-ip': `192.0.2.${count}`,
          cookie: `sid=${count}`,
        };
        return site.request('GET', `/api/resource/Note?n=${count}`, { as: null, headers });
      };
      assert.deepEqual(await statuses(5, send), [403, 403, 403, 429, 429]);
      assert.equal((await read()).status, 200);
      for (const path of ['/health', '/ready', '/docs']) {
        await site.ok('GET', path, { as: null });
      }
    });
  });

  test('behind a trusted proxy each address has its own, and of IPv6 each network', async () => {
    const config = { trustProxy: ['127.0.0.0/8'] };
    await withLimits(
      { perAddress: 2 },
      async (_site, read) => {
        const from = (address: string) => () => read({ as: null, headers: { 'x-forwarded-for': address } });
        assert.deepEqual(await statuses(3, from('203.0.113.1')), [403, 403, 429]);
        assert.deepEqual(await statuses(1, from('203.0.113.2')), [403]);
        assert.deepEqual(await statuses(1, from('::ffff:203.0.113.1')), [429]);
        assert.deepEqual(await statuses(2, from('2001:db8:0:1::1')), [403, 403]);
        assert.deepEqual(await statuses(1, from('2001:db8:0:1:ffff::2')), [429]);
        assert.deepEqual(await statuses(1, from('2001:db8:0:2::1')), [403]);
        // What the client wrote itself stands before what the proxy added.
        assert.deepEqual(await statuses(1, from('198.51.100.7, 203.0.113.1')), [429]);
      },
      config,
    );
  });

  test('credentials that are wrong cost ten requests of the address, and keep nobody else out', async () => {
    await withLimits({ perAddress: 25 }, async (_site, read) => {
      const guess = () => read({ as: 'token admin-key:wrong' });
      assert.deepEqual(await statuses(4, guess), [401, 401, 429, 429]);
      assert.equal((await read({ as: null })).status, 429);
      assert.equal((await read()).status, 200);
    });
  });

  test('of many documents in one request each counts', async () => {
    await withLimits({ perKey: 20 }, async (site) => {
      let made = 0;
      const docs = (count: number) =>
        Array.from({ length: count }, () => ({ doctype: 'Note', __newname: `N${made++}`, title: 'T' }));
      const many = (count: number) =>
        site.request('POST', '/api/method/frappe.client.insert_many', { body: { docs: docs(count) } });
      assert.equal((await many(12)).status, 200);
      assertExceeded(await many(12));
      const remove = await site.request('POST', '/api/v2/document/Note/bulk_delete', {
        body: { names: Array.from({ length: 12 }, (_, index) => `n${index}`) },
      });
      assert.equal(remove.status, 429);
      assert.equal((await many(5)).status, 200);
      const left = await site.site.database.reader.all(sql`select 1 from "Note"`);
      assert.equal(left.length, 17);
    });
  });

  test('signing in has a quota of its own for each address, by every door', async () => {
    await withLimits({ logins: 3 }, async (site, read) => {
      const body = { usr: 'Administrator', pwd: 'admin-password' };
      const login = (path: string) => site.request('POST', path, { as: null, body });
      assert.equal((await login('/api/method/login')).status, 200);
      assert.equal((await login('/?cmd=login')).status, 200);
      assert.equal((await login('/api/v2/method/login')).status, 200);
      for (const path of ['/api/method/login', '/?cmd=login', '/api/method/login/x'])
        assertExceeded(await login(path));
      assert.equal((await login('/api/v2/method/login')).status, 429);
      assert.equal((await read()).status, 200);
    });
  });

  test('so have uploads, for each user', async () => {
    await withLimits({ uploads: 2 }, async (site, read) => {
      const upload = () => {
        const body = new FormData();
        body.append('file', new File(['x'], 'x.txt'));
        return site.request('POST', '/api/method/upload_file', { body });
      };
      assert.deepEqual(await statuses(3, upload), [200, 200, 429]);
      assert.equal((await read()).status, 200);
    });
  });

  test('0 is no limit, and says nothing', async () => {
    await withLimits({ perKey: 0, perUser: 0 }, async (_site, read) => {
      const { status, headers } = await read();
      assert.equal(status, 200);
      assert.equal(headers.get('ratelimit'), null);
    });
  });
});
