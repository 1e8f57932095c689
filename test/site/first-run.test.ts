/**
 * The first start and those after it: what is made once, what stands, and what is not for a server that
 * others reach.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { asSystem } from '../../src/document/context.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { createServer } from '../../src/http/server.ts';
import type { FirstStart } from '../../src/site/start/first-start.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { deleteKey } from '../../src/standard/api-key/api-keys.ts';
import { engineOf } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { PATIENT } from '../support/site.ts';

const PUBLIC = '0.0.0.0';
const SECRET = 'a-secret-of-some-length';

for (const engine of engineOf('first runs')) {
  describe(`first runs on ${engine}`, () => {
    const undos: (() => Promise<void>)[] = [];
    after(async () => {
      for (const undo of undos) await undo();
    });

    /** A place for a site of its own, and its configuration. */
    async function place(): Promise<Config> {
      const data = await mkdtemp(join(tmpdir(), 'chancery-first-'));
      undos.push(() => rm(data, { recursive: true, force: true }));
      const fresh = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
      if (fresh) undos.unshift(() => fresh.drop());
      return { ...DEFAULT_CONFIG, data, database: fresh?.url ?? null, apps: [], admission: PATIENT };
    }

    async function opened<T>(config: Config, work: (site: OpenSite) => Promise<T>): Promise<T> {
      const site = await openSite(config);
      try {
        return await work(site);
      } finally {
        await site.close();
      }
    }

    const start = (config: Config) => opened(config, async (site) => site.firstStart);

    const keyOpens = (site: OpenSite, key: string) =>
      site.authenticator.fromHeader(`token ${key}`, '127.0.0.1').then(
        (user) => user.name === 'Administrator',
        () => false,
      );

    /** What a server of the site answers to a POST with JSON: its status, and its body. */
    async function post(site: OpenSite, path: string, payload: object, authorization?: string) {
      const server = createServer(site);
      const url = await server.listen({ host: '127.0.0.1', port: 0 });
      try {
        const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
        const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(payload) });
        return { status: reply.status, body: await reply.json() };
      } finally {
        await server.close();
      }
    }

    async function passwordOpens(site: OpenSite, pwd: string): Promise<boolean> {
      const { status, body } = await post(site, '/api/method/login', { usr: 'Administrator', pwd });
      assert.ok([200, 401].includes(status), JSON.stringify(body));
      return status === 200;
    }

    const change = (site: OpenSite, password: string) =>
      unitOfWork(site, ADMINISTRATOR, (ctx) =>
        updateDocument(asSystem(ctx), 'User', 'Administrator', { new_password: password }),
      );

    const refuses = (message: RegExp) => (error: unknown) =>
      error instanceof StartError && message.test(error.message);

    describe('credentials of the configuration', () => {
      let config: Config;
      before(async () => {
        config = { ...(await place()), adminPassword: 'orchid under glass', adminApiKey: `first:${SECRET}` };
        assert.deepEqual(await start(config), { password: null, apiKey: null, isRenewed: false });
      });

      test('a later start never changes the password', async () => {
        await opened(config, (site) => change(site, 'lantern over water'));
        for (const adminPassword of ['orchid under glass', 'some other password', null]) {
          await opened({ ...config, adminPassword }, async (site) => {
            assert.equal(site.firstStart, null);
            if (adminPassword) assert.equal(await passwordOpens(site, adminPassword), false);
            assert.equal(await passwordOpens(site, 'lantern over water'), true);
          });
        }
      });

      test('a revoked, disabled or replaced key stays so', async () => {
        const key = `first:${SECRET}`;
        await opened(config, async (site) => {
          assert.equal(await keyOpens(site, key), true);
          await site.database.transaction((db) => db.run(sql`update "_api_key" set "enabled" = 0`));
        });
        await opened(config, async (site) => {
          assert.equal(await keyOpens(site, key), false);
          await site.database.transaction((db) => db.run(sql`delete from "_api_key"`));
        });
        await opened(config, async (site) => assert.equal(await keyOpens(site, key), false));
      });

      test('a new key in the configuration replaces it once', async () => {
        const adminApiKey = `second:${SECRET}`;
        await opened({ ...config, adminApiKey }, async (site) => {
          assert.equal(await keyOpens(site, adminApiKey), true);
        });
        await opened({ ...config, adminApiKey: `third:${SECRET}` }, async (site) => {
          assert.equal(await keyOpens(site, adminApiKey), false);
          const rows = await site.database.reader.all(sql`select "api_key" from "_api_key"`);
          assert.deepEqual(rows, [{ api_key: 'third' }]);
          const told = await site.database.reader.all(
            sql`select "reference_name", "details" from "_audit" where "event" = 'key_created' order by "creation"`,
          );
          assert.deepEqual(
            told.map((row) => row['reference_name']),
            ['first', 'second', 'third'],
          );
          assert.ok(!JSON.stringify(told).includes(SECRET));
        });
      });
    });

    describe('random credentials', () => {
      /** A site after its first start, and what that showed. */
      async function fresh(more: Partial<Config> = {}) {
        const config = { ...(await place()), ...more };
        return { config, first: (await start(config)) ?? assert.fail('nothing was made') };
      }

      const uses: readonly [how: string, use: (site: OpenSite, made: FirstStart) => Promise<unknown>][] = [
        ['signs in', async (site, { password }) => assert.ok(await passwordOpens(site, password ?? ''))],
        ['uses the key', async (site, { apiKey }) => assert.ok(await keyOpens(site, apiKey ?? ''))],
        ['changes the password with a command', (site) => change(site, 'lantern over water')],
        [
          'revokes the key with a command',
          (site, { apiKey }) => {
            const [key = ''] = apiKey?.split(':') ?? [];
            return unitOfWork(site, ADMINISTRATOR, (ctx) => deleteKey(ctx, key));
          },
        ],
      ];

      test('differ from site to site', async () => {
        const [one, other] = [await fresh(), await fresh()];
        assert.match(one.first.password ?? '', /^[0-9a-v]{16}$/);
        assert.notEqual(one.first.password, other.first.password);
        assert.notEqual(one.first.apiKey, other.first.apiKey);
      });

      test('are replaced by each start until somebody has used them', async () => {
        const { config, first } = await fresh();
        let former = first;
        for (let count = 0; count < 2; count += 1) {
          const made = (await start(config)) ?? assert.fail('nothing was made');
          assert.equal(made.isRenewed, true);
          assert.notEqual(made.password, former.password);
          assert.notEqual(made.apiKey, former.apiKey);
          former = made;
        }
        await opened(config, async (site) => {
          const last = site.firstStart;
          for (const { password, apiKey } of [first, former]) {
            assert.equal(await passwordOpens(site, password ?? ''), false);
            assert.equal(await keyOpens(site, apiKey ?? ''), false);
          }
          assert.equal(await keyOpens(site, last?.apiKey ?? ''), true);
          assert.equal(await passwordOpens(site, last?.password ?? ''), true);
        });
      });

      for (const [how, use] of uses) {
        test(`stay once somebody ${how}`, async () => {
          const { config, first } = await fresh();
          await opened({ ...config, adminPassword: null }, async (site) => {
            await use(site, site.firstStart ?? first);
          });
          assert.equal(await start(config), null);
          // Nothing that a user of the site can lose opens the door again.
          await opened(config, (site) =>
            site.database.transaction(async (db) => {
              await db.run(sql`delete from "_password"`);
              await db.run(sql`delete from "_api_key"`);
              await db.run(sql`delete from "_session"`);
              await db.run(sql`delete from "Has Role"`);
              await db.run(sql`update "User" set "last_login" = null`);
            }),
          );
          assert.equal(await start(config), null);
        });
      }

      test('are replaced by the configuration, unlike configured ones', async () => {
        const { config, first } = await fresh({ adminPassword: 'orchid under glass' });
        assert.equal(first.password, null);
        // Documented: a configured password counts on the first start only. The key was made up, and nobody used it.
        const second = await start({ ...config, adminPassword: 'lantern over water' });
        assert.equal(second?.password, null);
        assert.notEqual(second?.apiKey, first.apiKey);
        assert.equal(await start({ ...config, adminApiKey: `own:${SECRET}` }), null);
        await opened(config, async (site) => {
          assert.equal(site.firstStart, null);
          assert.equal(await keyOpens(site, second?.apiKey ?? ''), false);
          assert.equal(await keyOpens(site, `own:${SECRET}`), true);
          assert.equal(await passwordOpens(site, 'lantern over water'), false);
          assert.equal(await passwordOpens(site, 'orchid under glass'), true);
        });
      });

      test('a password configured later replaces an unused one', async () => {
        const { config, first } = await fresh();
        const later = await start({ ...config, adminPassword: 'orchid under glass' });
        assert.equal(later?.password, null);
        assert.ok(later?.apiKey);
        const refusing = { ...config, host: PUBLIC, adminPassword: 'admin' };
        assert.equal((await start({ ...refusing, host: '127.0.0.1' }))?.password, null);
        await opened(config, async (site) => {
          assert.equal(await passwordOpens(site, first.password ?? ''), false);
          assert.equal(await passwordOpens(site, 'admin'), false);
          assert.equal(await passwordOpens(site, 'orchid under glass'), true);
        });
        const guessed = await fresh();
        await assert.rejects(
          start({ ...guessed.config, host: PUBLIC, adminPassword: 'admin' }),
          refuses(/CHANCERY_ADMIN_PASSWORD is too weak for a server/),
        );
      });
    });

    test('neither the first sign-up nor the first created user becomes an administrator', async () => {
      await opened(await place(), async (site) => {
        const payload = { email: 'early@example.com', first_name: 'Early' };
        const early = await post(site, '/api/resource/User', payload);
        assert.equal(early.status, 403);
        const key = `token ${site.firstStart?.apiKey}`;
        const { status, body } = await post(site, '/api/resource/User', payload, key);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(body.data.roles, []);
      });
    });

    describe('a server that other machines can reach', () => {
      test('does not start with a common password', async () => {
        const config = { ...(await place()), host: PUBLIC, adminPassword: 'orchid under glass' };
        for (const adminPassword of ['admin', 'password123', 'Administrator2026', 'qwertyuiop']) {
          await assert.rejects(
            start({ ...config, adminPassword }),
            refuses(/CHANCERY_ADMIN_PASSWORD is too weak for a server on 0\.0\.0\.0/),
          );
        }
        assert.equal((await start(config))?.password, null);
        await opened(config, async (site) => {
          assert.equal(await passwordOpens(site, 'admin'), false);
          assert.equal(await passwordOpens(site, 'orchid under glass'), true);
        });
      });

      test('does not start with a weak password from a local start', async () => {
        const config = { ...(await place()), adminPassword: 'admin', adminApiKey: `own:${SECRET}` };
        assert.notEqual(await start(config), null);
        for (const host of [PUBLIC, '::', '192.168.1.2', 'server.example.com']) {
          await assert.rejects(
            start({ ...config, adminPassword: null, host }),
            refuses(/The password of Administrator is too common/),
          );
        }
        for (const host of ['127.0.0.1', '127.3.2.1', '::1', 'localhost', '::ffff:127.0.0.1']) {
          assert.equal(await start({ ...config, host }), null);
        }
        const proxied = { ...config, trustProxy: ['127.0.0.1'] };
        await assert.rejects(start(proxied), refuses(/for a server behind a proxy/));
        await opened(config, (site) => change(site, 'lantern over water'));
        for (const open of [{ ...config, host: PUBLIC }, proxied]) assert.equal(await start(open), null);
      });

      test('does not start with a short API secret', async () => {
        const config = { ...(await place()), host: PUBLIC, adminApiKey: 'admin:admin' };
        await assert.rejects(start(config), refuses(/secret of CHANCERY_ADMIN_API_KEY/));
        assert.notEqual(await start({ ...config, adminApiKey: `admin:${SECRET}` }), null);
      });
    });
  });
}
