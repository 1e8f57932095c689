/** Patches: once per site, in order, each whole or not at all. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { Context } from '../../src/document/contract.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import type { App, Patch } from '../../src/site/app.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { engineOf } from '../support/describe-site.ts';
import { type Engine, freshDatabaseUrl } from '../support/postgres.ts';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-patches-'));
after(() => rmSync(root, { recursive: true, force: true }));
const secretKey = Buffer.alloc(32, 7).toString('base64');

/** A database that several starts share, and a way to start on it. */
async function freshPlace(engine: Engine) {
  const fresh = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
  const shared = mkdtempSync(join(root, 'data-'));
  const observed: Observation[] = [];
  const open = (patches: readonly Patch[], data = shared): Promise<OpenSite> => {
    const app: App = { name: 'shop', patches };
    // Several servers of a database share one place for files.
    const files = join(shared, 'files');
    const config = { ...DEFAULT_CONFIG, data, files, database: fresh?.url ?? null, secretKey };
    return openSite(config, { apps: [app], observe: (observation) => observed.push(observation) });
  };
  const start = async (...patches: readonly Patch[]) => {
    const site = await open(patches);
    const log = await logOf(site);
    const roles = await rolesOf(site);
    await site.close();
    return { log, roles };
  };
  return { open, start, observed, drop: async () => fresh?.drop() };
}

async function logOf(site: OpenSite): Promise<string[]> {
  const rows = await site.database.reader.all({
    text: 'select "name", "skipped" from "Patch Log" order by "creation", "name"',
    values: [],
  });
  return rows.map(({ name, skipped }) => `${name}${skipped === 1 ? ' skipped' : ''}`);
}

async function rolesOf(site: OpenSite): Promise<string[]> {
  const rows = await site.database.reader.all({
    text: `select "name" from "Role" where "name" like 'P%' order by "name"`,
    values: [],
  });
  return rows.map(({ name }) => String(name));
}

const adds = (name: string, role = name): Patch => ({
  name,
  run: async (ctx: Context) => {
    await createDocument(ctx, 'Role', { role_name: role });
  },
});

for (const engine of engineOf('patches')) {
  test(`${engine}: a new site skips patches, an existing one runs each new patch once, in order`, async () => {
    const { start, observed, drop } = await freshPlace(engine);
    assert.deepEqual(await start(adds('P1')), { log: ['shop.P1 skipped'], roles: [] });
    const second = { log: ['shop.P1 skipped', 'shop.P3', 'shop.P2'], roles: ['P2', 'P3'] };
    assert.deepEqual(await start(adds('P1'), adds('P3'), adds('P2')), second);
    // Were one of them run again, its role would exist.
    assert.deepEqual(await start(adds('P1'), adds('P3'), adds('P2')), second);
    assert.deepEqual(
      observed.flatMap((seen) => (seen.kind === 'patch_applied' ? [seen.patch] : [])),
      ['shop.P3', 'shop.P2'],
    );
    await drop();
  });

  test(`${engine}: a failed patch stops the start, is rolled back, and runs again at the next start`, async () => {
    const { open, start, drop } = await freshPlace(engine);
    await start();
    const failing: Patch = {
      name: 'P2',
      run: async (ctx) => {
        await createDocument(ctx, 'Role', { role_name: 'P2' });
        throw new ServiceError('ValidationError', 'The stars are wrong');
      },
    };
    await assert.rejects(
      open([adds('P1'), failing, adds('P3')]),
      (error: unknown) =>
        error instanceof StartError && /shop\.P2 failed.*\n.*stars are wrong/.test(error.message),
    );
    // A bug shows its line.
    const buggy: Patch = {
      name: 'P2',
      run: () => {
        throw new TypeError('oops');
      },
    };
    await assert.rejects(open([adds('P1'), buggy]), /shop\.P2 failed.*\n.*oops\n.*patches\.test\.ts/);
    const done = await start(adds('P1'), adds('P2'), adds('P3'));
    assert.deepEqual(done.log, ['shop.P1', 'shop.P2', 'shop.P3']);
    assert.deepEqual(done.roles, ['P1', 'P2', 'P3']);
    await drop();
  });

  test(`${engine}: patches added while an app is not loaded run when it returns`, async () => {
    const { open, start, drop } = await freshPlace(engine);
    await start(adds('P1'));
    const off = await openSite((await closed(open([adds('P1')]))).config, { apps: [] });
    assert.deepEqual(await rolesOf(off), []);
    await off.close();
    const { log } = await start(adds('P1'), adds('P2'));
    assert.deepEqual(log, ['shop.P1 skipped', 'shop.P2']);
    await drop();
  });
}

async function closed(opening: Promise<OpenSite>): Promise<OpenSite> {
  const site = await opening;
  await site.close();
  return site;
}

test('nodes that start at once run each patch once', async () => {
  const { open, start, drop } = await freshPlace('postgres');
  await start();
  let runs = 0;
  const patches = ['P1', 'P2'].map((name) => ({
    name,
    run: async (ctx: Context) => {
      runs += 1;
      await adds(name).run(ctx);
    },
  }));
  const nodes = ['a', 'b', 'c'].map((name) => open(patches, join(root, name)));
  for (const site of await Promise.all(nodes)) {
    assert.deepEqual(await rolesOf(site), ['P1', 'P2']);
    await site.close();
  }
  assert.equal(runs, 2);
  await drop();
});

test('a start killed during a patch rolls it back, and the next start runs it', async () => {
  const folder = mkdtempSync(join(root, 'app-'));
  const data = mkdtempSync(join(root, 'data-'));
  const app = (patches: string) =>
    writeFileSync(
      join(folder, 'app.ts'),
      `import { createDocument, defineApp } from 'chancery';
       export default defineApp({ name: 'shop', patches: [${patches}] });`,
    );
  const patch = (after: string) =>
    `{ name: 'P1', async run(ctx) { await createDocument(ctx, 'Role', { role_name: 'P1' }); ${after} } }`;
  app('');
  const first = await startServerProcess(['--data', data, '--apps', folder]);
  await first.end('SIGTERM');
  app(patch("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});"));
  const killed = await spawnChancery(['serve', '--port', '0', '--data', data, '--apps', folder]).finished;
  assert.equal(killed.code, null, killed.stdout);
  app(patch(''));
  const migrate = async (...flags: string[]) =>
    (await spawnChancery(['migrate', ...flags, '--data', data, '--apps', folder]).finished).stdout;
  assert.equal(await migrate('--plan'), 'Patch shop.P1: to be run\n');
  assert.match(await migrate(), /^Patch shop\.P1: run$/m);
  assert.match(await migrate('--plan'), /Everything is up to date/);
  const server = await startServerProcess(['--data', data, '--apps', folder], {
    env: { CHANCERY_ADMIN_API_KEY: 'key:secret' },
  });
  const reply = await fetch(`${server.url}/api/resource/Patch%20Log?fields=["name","skipped"]`, {
    headers: { authorization: 'token key:secret' },
  });
  assert.deepEqual(await reply.json(), { data: [{ name: 'shop.P1', skipped: 0 }] });
  assert.equal((await server.end('SIGTERM')).code, 0);
});

test('patches with the same name are refused', async () => {
  const { open } = await freshPlace('sqlite');
  await assert.rejects(open([adds('P1'), adds('P1')]), /two patches named P1/);
  await assert.rejects(open([adds('a b')]), /needs a short name/);
});
