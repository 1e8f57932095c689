/**
 * Damaged databases and files: clients see an error, the log and the metrics tell, and `chancery doctor
 * --deep` finds what it is.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { Connection } from '../../src/db/database.ts';
import { findDamage } from '../../src/db/find-damage.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import type { Finding } from '../../src/site/doctor/finding.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { notes } from '../support/notes/app.ts';
import { type ServerProcess, spawnChancery, startServerProcess } from '../support/server-process.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const KEY = 'admin-key:admin-secret-0123456789';
/** More than are read at a time, so that the last of them come when the reply has begun. */
const NOTES = 2_500;
/** The first note that was made is the last one of a list. */
const LAST = 'note-1';
const PAGE = 4096;
const MARK = 'here the page will be damaged ';

const made: string[] = [];
after(async () => {
  for (const path of made) await rm(path, { recursive: true, force: true });
});

/** The app of tests as a server loads it. */
async function appFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-notes-'));
  made.push(folder);
  const source = new URL('../support/notes/app.ts', import.meta.url).pathname;
  writeFileSync(join(folder, 'app.ts'), `export { notes as default } from ${JSON.stringify(source)};`);
  return folder;
}

async function freshConfig(): Promise<Config> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-damage-'));
  made.push(data);
  return { ...DEFAULT_CONFIG, data, apps: [], adminPassword: 'orchid under glass', adminApiKey: KEY };
}

function nextPage(bytes: Buffer, page: number): number {
  const found = bytes.indexOf(MARK, page + PAGE);
  assert.ok(found > 0, 'no leaf has the mark');
  return found - (found % PAGE);
}

async function addNotes(db: Connection, body: Sql): Promise<void> {
  const numbers =
    db.dialect.name === 'sqlite'
      ? sql`(with recursive s(i) as (select 1 union all select i + 1 from s where i < ${NOTES}) select i from s)`
      : sql`(select i from generate_series(1, ${NOTES}) as s(i))`;
  const digits = db.dialect.name === 'sqlite' ? sql`printf('%06d', i)` : sql`lpad(i::text, 6, '0')::text`;
  const time =
    db.dialect.name === 'sqlite'
      ? sql`'2026-01-01 00:00:00.' || ${digits}`
      : sql`('2026-01-01 00:00:00.' || ${digits})::timestamp(6)`;
  await db.run(
    sql`insert into "Note" ("name", "creation", "modified", "title", "body")
        select 'note-' || i, ${time}, ${time}, 't', case when i = 1 then ${body} else 'sound' end from ${numbers} as "numbers"`,
  );
}

const EVERYTHING = `/api/resource/Note?${new URLSearchParams({ fields: '["name","body"]', limit_page_length: '0' })}`;

describe('a damaged page of an SQLite table', () => {
  let config: Config;
  let server: ServerProcess;
  let app: string;
  before(async () => {
    app = await appFolder();
    config = await freshConfig();
    const site = await openSite(config, { apps: [notes] });
    await site.database.transaction((db) => addNotes(db, sql`${MARK.repeat(50)}`));
    await site.close();
    const path = join(config.data, 'chancery.db');
    const bytes = readFileSync(path);
    // A leaf of the table begins with 13; copies of the note in pages that were split do not count.
    let page = bytes.indexOf(MARK) - (bytes.indexOf(MARK) % PAGE);
    while (bytes[page] !== 13) page = nextPage(bytes, page);
    bytes.fill(0xa5, page, page + PAGE);
    writeFileSync(path, bytes);
    server = await startServerProcess(['--data', config.data, '--apps', app]);
  });
  after(() => server.end('SIGTERM'));

  // Uncompressed, so that the first rows are on their way when a later one fails.
  const headers = { authorization: `token ${KEY}`, 'accept-encoding': 'identity' };
  const get = (path: string) => fetch(server.url + path, { headers });
  const broken = async () => {
    const text = await (await get('/metrics')).text();
    return Number(/^chancery_http_replies_broken_total (\d+)$/m.exec(text)?.[1]);
  };
  const logged = (kind: string) =>
    server
      .errors()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${kind}"`) && line.includes('"level":50'))
      .filter((line) => line.includes('The database is damaged: database disk image is malformed'));

  test('a list that meets it midway breaks the connection, is logged and counted', async () => {
    assert.equal(await broken(), 0);
    const reply = await get(EVERYTHING);
    assert.equal(reply.status, 200);
    await assert.rejects(reply.text());
    assert.equal(await broken(), 1);
    assert.equal(logged('reply_broken').length, 1, server.errors());
  });

  test('a list that meets it at once, and a document, give 500 and a log entry', async () => {
    for (const path of [`${EVERYTHING}&order_by=modified+asc`, `/api/resource/Note/${LAST}`]) {
      const known = logged('unexpected').length;
      const reply = await get(path);
      assert.equal(reply.status, 500);
      assert.equal(((await reply.json()) as { exc_type: string }).exc_type, 'InternalServerError');
      assert.equal(logged('unexpected').length, known + 1, server.errors());
    }
  });

  test('doctor --deep finds it while the server runs', async () => {
    const argv = ['doctor', '--deep', '--data', config.data, '--apps', app];
    const { code, stdout, stderr } = await spawnChancery(argv).finished;
    assert.equal(code, 1, stderr);
    assert.equal(stderr, '');
    assert.match(stdout, /^problem {2}integrity {5}Note: .*(?:malformed|btreeInitPage)/m);
    assert.match(stdout, /-> stop the server, .* restore a backup/);
  });
});

test('commands name the damage of a database, which they do not take for a missing one', async () => {
  const config = await freshConfig();
  const site = await openSite(config);
  const row = await site.database.reader.get(
    sql`select "rootpage" from sqlite_schema where "name" = '_setting'`,
  );
  await site.close();
  const path = join(config.data, 'chancery.db');
  const bytes = readFileSync(path);
  const start = (Number(row?.['rootpage']) - 1) * PAGE;
  writeFileSync(path, bytes.fill(0xa5, start, start + PAGE));
  for (const command of ['user list', 'files check', 'secrets check']) {
    const { code, stderr } = await spawnChancery([...command.split(' '), '--data', config.data]).finished;
    assert.equal(code, 1);
    assert.match(stderr, /^The database is damaged: .*\n$/, command);
  }
});

describe('damage in PostgreSQL', () => {
  let site: TestSite;
  let schema: string;
  let isPossible = true;
  // The tests' user may do anything, also what no client of the database should.
  const asSuperuser = async (work: (client: pg.Client) => Promise<unknown>) => {
    const url = new URL(site.site.config.database ?? '');
    url.search = '';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await work(client).finally(() => client.end());
  };
  const findings = async () => (await findDamage(site.site.database.reader)).found;

  before(async () => {
    site = await startTestSite('postgres', { apps: [notes] });
    // So long and so random that it is stored apart.
    const body = sql`${randomBytes(20_000).toString('hex')}`;
    await site.site.database.transaction((db) => addNotes(db, body));
    schema = site.site.database.dialect.schema ?? '';
    await asSuperuser(async (client) => {
      const wanted = ['amcheck', 'pg_surgery'];
      const { rows } = await client.query('select 1 from pg_available_extensions where name = any($1)', [
        wanted,
      ]);
      isPossible = rows.length === wanted.length;
    });
  });
  after(() => site.stop());

  test('without amcheck doctor reads the tables, and says that indexes were not checked', async () => {
    const { found, indexesChecked } = await findDamage(site.site.database.reader);
    assert.deepEqual(found, []);
    assert.equal(indexesChecked, false);
  });

  test('amcheck finds an index without a row', async (t) => {
    if (!isPossible) return t.skip('the server has no amcheck');
    await asSuperuser(async (client) => {
      await client.query(`create extension amcheck schema "${schema}"`);
      await client.query(
        `update pg_index set indisready = false where indrelid = '"${schema}"."Note Line"'::regclass`,
      );
      await client.query(
        `insert into "${schema}"."Note Line" (name, creation, modified) values ('x', now(), now())`,
      );
      await client.query(
        `update pg_index set indisready = true where indrelid = '"${schema}"."Note Line"'::regclass`,
      );
    });
    const { found, indexesChecked } = await findDamage(site.site.database.reader);
    assert.equal(indexesChecked, true);
    assert.ok(found.length > 0);
    for (const words of found) assert.match(words, /^Note Line: .*lacks matching index tuple/);
    await asSuperuser((client) =>
      client.query(`delete from "${schema}"."Note Line"; drop extension amcheck`),
    );
  });

  test('reading finds a lost value, and a list breaks visibly for its client', async (t) => {
    if (!isPossible) return t.skip('the server has no pg_surgery');
    await asSuperuser(async (client) => {
      await client.query(`create extension pg_surgery schema "${schema}"`);
      const { rows } = await client.query(
        `select reltoastrelid::regclass::text as toast from pg_class where oid = '"${schema}"."Note"'::regclass`,
      );
      await client.query(
        `select "${schema}".heap_force_kill('${rows[0].toast}'::regclass, array(select ctid from ${rows[0].toast}))`,
      );
    });
    assert.match((await findings()).join(), /^Note: missing chunk number 0/);
    const response = await fetch(site.url + EVERYTHING, {
      headers: { authorization: `token ${site.adminKey}` },
    });
    assert.equal(response.status, 200);
    await assert.rejects(response.text());
    const told = site.observed.filter(({ kind }) => kind === 'reply_broken');
    assert.match(
      JSON.stringify(told.map((one) => String('error' in one && one.error))),
      /The database is damaged/,
    );
    assert.equal((await site.request('GET', `/api/resource/Note/${LAST}`)).status, 500);
  });
});

test('doctor --deep finds changed and missing stored files', async () => {
  const config = await freshConfig();
  const site = await openSite(config, { apps: [] });
  const stored = (name: string) =>
    unitOfWork(site, ADMINISTRATOR, (ctx) =>
      createDocument(ctx, 'File', { file_name: name, content: `the content of ${name}` }),
    );
  for (const name of ['kept.txt', 'changed.txt', 'lost.txt']) await stored(name);
  await site.close();
  assert.deepEqual(contents(await examineSite(config, [], true)), [
    ['ok', '3 stored objects with 72 bytes are intact'],
  ]);
  for (const entry of readdirSync(join(config.data, 'files'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    const text = readFileSync(path, 'utf8');
    if (text.includes('changed')) writeFileSync(path, text.replace('content', 'comment'));
    if (text.includes('lost')) await rm(path);
  }
  const found = contents(await examineSite(config, [], true));
  assert.deepEqual(found.map(([state, message]) => [state, message.replace(/ \(.*\)$/, '')]).sort(), [
    ['problem', 'damaged: /files/changed.txt'],
    ['problem', 'missing: /files/lost.txt'],
  ]);
  // Without --deep nothing of it is read.
  assert.deepEqual(contents(await examineSite(config, [])), []);
});

function contents(findings: readonly Finding[]): [string, string][] {
  return findings.filter(({ check }) => check === 'contents').map(({ state, message }) => [state, message]);
}
