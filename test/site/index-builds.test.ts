/** Indexes of large tables on PostgreSQL: built beside writes, and again after an interruption. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pg from 'pg';
import { sql } from '../../src/db/sql.ts';
import { tableOf } from '../../src/doctype/schema-plan.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { leaveIndexes } from '../../src/site/schema/migration/build-indexes.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { useStarted } from '../support/describe-site.ts';
import { ENGINES } from '../support/postgres.ts';
import { startTestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const PART = {
  name: 'Part',
  fields: [
    { fieldname: 'kind', fieldtype: 'Data' },
    { fieldname: 'weight', fieldtype: 'Int' },
    { fieldname: 'code', fieldtype: 'Data' },
    { fieldname: 'note', fieldtype: 'Text' },
    { fieldname: 'note_date', fieldtype: 'Date' },
  ],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};

const INDEXES = [['kind', 'weight'], ['weight']];

/** Rows of a table beyond `LIMITS.indexedAtOnce`. */
const ROWS = 12_000;

describe('indexes of large tables', { skip: !ENGINES.includes('postgres') }, () => {
  const site = useStarted(() =>
    startTestSite('postgres', {
      config: { secretKey: Buffer.alloc(32, 7).toString('base64') },
      users: { manager: ['System Manager'] },
    }),
  );
  /** Works on the site's database beside the server. */
  const asAdmin = async (work: (client: pg.Client) => Promise<unknown>) => {
    const url = new URL(site.site.config.database ?? '');
    url.search = '';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      const row = await site.site.database.reader.get(sql`select current_schema() as "schema"`);
      await client.query(`set search_path = "${row?.['schema']}"`);
      await work(client);
    } finally {
      await client.end();
    }
  };
  const builds = () => site.ok('GET', '/api/method/chancery.system.index_builds', { as: 'manager' });
  /** By the first column of each index: whether it is ready. */
  const indexed = async () => {
    const rows = await site.site.database.reader.all(
      sql`select a.attname as "column", i.indisvalid as "valid" from pg_index i
          join pg_class c on c.oid = i.indrelid and c.relnamespace = current_schema()::regnamespace
          join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] where c.relname = 'Part'`,
    );
    return new Map(rows.map((row) => [row['column'], row['valid'] === 1]));
  };
  const indexNameOf = (columns: readonly string[]) =>
    tableOf(site.site.doctypes.get('Part')).indexes.find((index) => index.columns.join() === columns.join())
      ?.name;
  const killBuild = () =>
    asAdmin((client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_progress_create_index where relid = '"Part"'::regclass`,
      ),
    );
  const indexFindings = async () =>
    (await examineSite(site.site.config, [])).filter(({ check }) => check === 'indexes');

  /** Runs `work` while a transaction that has written to the table keeps every build waiting. */
  const whileBuildsWait = (work: () => Promise<void>) =>
    asAdmin(async (client) => {
      await client.query('begin');
      await client.query(`update "Part" set "weight" = "weight" where "name" = 'p1'`);
      try {
        await work();
      } finally {
        await client.query('rollback');
      }
    });
  const untilBuilding = () =>
    until(async () => {
      const [build] = (await builds()).filter(({ state }: { state: string }) => state === 'building');
      return build?.waits_for > 0 ? build : null;
    });

  test('a table beyond the limit is filled', async () => {
    await site.make('DocType', PART);
    await asAdmin(async (client) => {
      await client.query(
        `insert into "Part" ("name", "creation", "modified", "kind", "code", "note")
         select 'p' || i, '2026-01-01', '2026-01-01', 'k' || i % 7, 'c' || i, repeat('n', 1800)
         from generate_series(1, ${ROWS}) as i`,
      );
    });
    const plan = await site.ok('GET', '/api/method/chancery.system.plan_index?doctype=Part&fields=["kind"]');
    assert.deepEqual([plan.rows, plan.in_background], [ROWS, 1]);
    assert.deepEqual(await builds(), []);
  });

  test('writes go on while an index is built, and other changes of its table are refused at once', () =>
    whileBuildsWait(async () => {
      const args = { doctype: 'Part', fields: JSON.stringify(['kind', 'weight']) };
      const reply = await site.call('chancery.system.create_index', args);
      assert.equal(reply.in_background, 1);
      const build = await untilBuilding();
      assert.deepEqual([build.doctype, build.fields], ['Part', ['kind', 'weight', 'name']]);
      assert.match(build.phase, /^waiting for/);
      const [finding] = await indexFindings();
      assert.equal(finding?.state, 'advice');
      assert.match(
        finding?.message ?? '',
        /^Part: its index on kind, weight, name is being built \(\d+ %\)$/,
      );

      await site.make('Part', { kind: 'new', weight: 1 });
      await site.did('PUT', 'Part/p2', { weight: 7 });
      const field = { dt: 'Part', fieldname: 'colour', fieldtype: 'Data' };
      const refused = await site.request('POST', '/api/resource/Custom Field', { body: field });
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '60']);
      assert.match(refused.text, /An index of Part is being built/);
      // Another index only waits for its turn.
      await site.did('PUT', 'DocType/Part', { indexes: INDEXES });
      assert.equal((await builds()).length, 2);
    }));

  test('both indexes are ready in the end', async () => {
    await until(async () => (await builds()).length === 0);
    const found = await indexed();
    assert.deepEqual([found.get('kind'), found.get('weight')], [true, true]);
    assert.equal((await indexFindings())[0]?.state, 'ok');
  });

  test('a killed build is named, and built again', async () => {
    await whileBuildsWait(async () => {
      const { fields } = await site.did('GET', 'DocType/Part');
      const changed = fields.map((field: { fieldname: string }) =>
        field.fieldname === 'code' ? { ...field, search_index: 1 } : field,
      );
      await site.did('PUT', 'DocType/Part', { fields: changed });
      await untilBuilding();
      await killBuild();
      const [build] = await until(async () => {
        const found = await builds();
        return found[0]?.state === 'interrupted' ? found : null;
      });
      assert.deepEqual(build.fields, ['code', 'name']);
      assert.equal((await indexed()).get('code'), false);
      const [finding] = await indexFindings();
      assert.equal(finding?.state, 'problem');
      assert.match(finding?.message ?? '', /has a part of its index on code, name: the build was killed/);
    });
    await site.call('chancery.system.run_job', { job: 'build_indexes' });
    await until(async () => (await builds()).length === 0);
    assert.equal((await indexed()).get('code'), true);
    assert.equal((await indexFindings())[0]?.state, 'ok');
  });

  test('an interrupted build of an index that nobody wants any more is cleared away', async () => {
    await whileBuildsWait(async () => {
      await site.did('PUT', 'DocType/Part', { indexes: [...INDEXES, ['note_date', 'kind']] });
      await untilBuilding();
      await killBuild();
      await until(async () => (await builds())[0]?.state === 'interrupted');
    });
    assert.equal((await indexed()).get('note_date'), false);
    await site.did('PUT', 'DocType/Part', { indexes: INDEXES });
    await site.call('chancery.system.run_job', { job: 'build_indexes' });
    await until(async () => !(await indexed()).has('note_date'));
  });

  test('a unique field is in force when its change is answered', async () => {
    const { fields } = await site.did('GET', 'DocType/Part');
    const changed = fields.map((field: { fieldname: string }) =>
      field.fieldname === 'code' ? { ...field, search_index: 0, unique: 1 } : field,
    );
    await site.did('PUT', 'DocType/Part', { fields: changed });
    assert.deepEqual(await builds(), []);
    const twice = await site.request('POST', '/api/resource/Part', { body: { code: 'c1' } });
    assert.deepEqual([twice.status, twice.body.exc_type], [417, 'UniqueValidationError']);
  });

  test('a server does not wait for large indexes at its start, a migration does', async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-builds-'));
    const config = { ...site.site.config, data };
    await asAdmin((client) => client.query(`drop index "${indexNameOf(['kind', 'weight', 'name'])}"`));
    const migrated = Promise.withResolvers<OpenSite>();
    let hasMigrated = false;
    await whileBuildsWait(async () => {
      await site.site.database.transaction((db) => leaveIndexes(db));
      await (await openSite(config)).close();
      openSite(config, { planEverything: true }).then(migrated.resolve, migrated.reject);
      migrated.promise.then(
        () => {
          hasMigrated = true;
        },
        () => {},
      );
      await untilBuilding();
      assert.equal(hasMigrated, false);
    });
    await (await migrated.promise).close();
    assert.equal((await indexed()).get('kind'), true);
    assert.deepEqual(await builds(), []);
    await rm(data, { recursive: true });
  });
});
