/** A copy of a schema of PostgreSQL, and its restore into another schema. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type pg from 'pg';
import { readDefinitions } from '../../src/backup/postgres/catalog.ts';
import {
  type CopiedPostgres,
  copyPostgres,
  postgresEngine,
} from '../../src/backup/postgres/copy-postgres.ts';
import { restorePostgres } from '../../src/backup/postgres/restore-postgres.ts';

import { type PartStore, Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { quote } from '../../src/db/ddl.ts';
import { openCopySession } from '../../src/db/postgres/copy-session.ts';
import { usableSettings } from '../../src/db/postgres/settings.ts';
import { sql } from '../../src/db/sql.ts';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { directUrl } from '../../src/site/data-directory.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { adopted } from '../support/bound-site.ts';
import { asPostgresAdmin, ENGINES, freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

/** Keeps parts in memory; `onPut` runs before each is stored. */
class MemoryParts implements PartStore {
  readonly parts = new Map<string, Buffer>();
  onPut: () => Promise<unknown> = async () => {};
  async putPart(plain: Buffer): Promise<string> {
    await this.onPut();
    const id = hash('sha256', plain);
    this.parts.set(id, Buffer.from(plain));
    return id;
  }
  async getPart(id: string): Promise<Buffer> {
    const part = this.parts.get(id);
    if (!part) throw new Error(`no part ${id}`);
    return part;
  }
}

const skip = ENGINES.includes('postgres') ? false : 'PostgreSQL is left out';
const PROPERTIES: Readonly<Record<string, object>> = {
  Link: { options: 'User' },
  'Dynamic Link': { options: 'f_data' },
  Select: { options: 'a\nb' },
  Table: { options: 'Line' },
  'Table MultiSelect': { options: 'Line' },
};
const EVERYTHING = {
  name: 'Everything',
  autoname: 'EV-.####',
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
  fields: [...FIELDTYPES.keys()].map((fieldtype) => ({
    fieldname: `f_${fieldtype.toLowerCase().replaceAll(/\W/g, '_')}`,
    label: fieldtype,
    fieldtype,
    ...PROPERTIES[fieldtype],
  })),
};
const LINE = {
  name: 'Line',
  istable: 1,
  fields: [
    { fieldname: 'text', fieldtype: 'Data', label: 'Text' },
    { fieldname: 'user', fieldtype: 'Link', label: 'User', options: 'User' },
  ],
};
/** What the text format of COPY writes in another way, or could take for its own. */
const HARD = ['\\.', '\\N', '\t\n\r\b\f\v\\', 'a\\tb', '', ' ', '\u{1F600}\uFFFF', '"\'`', '\x01\x7f'];

/** A digest of the rows of each table. */
async function contents(
  client: pg.Client,
  schema: string,
): Promise<Record<string, { count: number; digest: string }>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'v') and n.nspname = $1`,
    [schema],
  );
  const found: Record<string, { count: number; digest: string }> = {};
  for (const { name } of rows) {
    const text = `select count(*)::int as count, md5(string_agg(md5(t::text), '' order by md5(t::text))) as digest
      from ${quote(schema)}.${quote(name)} t`;
    found[name] = (await client.query(text)).rows[0];
  }
  return found;
}

async function definitionsOf(url: string) {
  const session = await openCopySession(url);
  try {
    await session.begin('');
    const { extensions, before, after, leftOut } = await readDefinitions(session);
    return { extensions, before, after, leftOut };
  } finally {
    await session.close();
  }
}

const schemaOf = (url: string) => new URL(url).searchParams.get('schema') ?? 'public';

describe('a site on PostgreSQL', { skip }, () => {
  let site: TestSite;
  let source = '';
  let target: { url: string; drop(): Promise<void> };
  const store = new MemoryParts();
  let copied: CopiedPostgres;

  before(async () => {
    const fresh = await freshDatabaseUrl('postgres');
    source = fresh.url;
    target = await freshDatabaseUrl('postgres');
    site = await startTestSite('postgres', {
      config: { database: source },
      doctypes: [LINE, EVERYTHING],
    });
    await site.call('upload_file', form());
    await site.make('Webhook', {
      webhook_doctype: 'Everything',
      webhook_docevent: 'after_insert',
      request_url: 'http://127.0.0.1:9/',
      enabled: 1,
    });
    for (const text of HARD) {
      await site.make('Everything', { f_text: text, f_table: [{ text: 'one' }, { text: 'two' }] });
    }
    await asPostgresAdmin(async (client) => {
      const extra = `set search_path = ${schemaOf(source)}, public;
        create table "Odd ""Table" (a real, b numeric(30, 10), c bytea, d boolean, e jsonb, f text[], g interval,
          h timestamptz default now(), i serial, j bigint generated by default as identity (start 7 increment 5),
          k text collate "C" generated always as (upper(l)) stored, l text not null default 'x''y', "Ü" uuid,
          primary key (l, i), check (a > 0), unique ("Ü")) with (fillfactor = 70);
        insert into "Odd ""Table" (a, b, c, d, e, f, g, "Ü", l)
          select n / 3.0, n / 7.0, decode(md5(n::text), 'hex'), n % 2 = 0, '{"a": [1, null]}', array['x', null, '{}'],
          make_interval(secs => n * 1000.5), md5(n::text)::uuid, repeat('long', n)
          from generate_series(1, 400) n;
        create table "Other" (id bigint primary key, l text, i int, foreign key (l, i) references "Odd ""Table" (l, i));
        create view "Z view" as select l, d, count(*) over () as n from "Odd ""Table";
        create view "A view" as select * from "Z view" where d;
        create index "partial" on "Odd ""Table" (lower(l) desc nulls last) where d;
        create function left_out() returns int language sql as 'select 1';`;
      await client.query(extra);
    });
    // The heartbeats of a running server would be the only difference.
    await site.site.close();
    copied = await copyPostgres(source, store);
  });
  after(async () => {
    await site.stop();
    await target.drop();
  });

  test('comes back row for row in another schema, and a site opens on it', async () => {
    const { copy, leftOut, moment, rows, files } = copied;
    assert.deepEqual(leftOut, ['the function left_out']);
    assert.ok(moment > 1_700_000_000_000);
    const listed = await all(files);
    assert.deepEqual(
      listed.map(({ bytes, sha256 }) => [bytes, sha256]),
      [[7, hash('sha256', 'content')]],
    );
    await restorePostgres(target.url, copy, store);
    await asPostgresAdmin(async (client) => {
      const there = await contents(client, schemaOf(source));
      assert.deepEqual(await contents(client, schemaOf(target.url)), there);
      for (const [name, count] of Object.entries(rows)) assert.equal(there[name]?.count, count, name);
      assert.equal(rows['Webhook'], 1);
      assert.equal(rows['_webhook_delivery'], HARD.length);
    });
    assert.deepEqual(await definitionsOf(target.url), { ...(await definitionsOf(source)), leftOut: [] });
    const config = {
      ...site.site.config,
      database: target.url,
      files: join(site.site.config.data, 'restored'),
    };
    await adopted(config);
    const restored = await openSite(config, { apps: [] });
    try {
      const documents = await restored.database.reader.all(
        sql`select "f_text", (select count(*) from "Line" l where l."parent" = e."name") as lines from "Everything" e
          order by "name"`,
      );
      assert.deepEqual(
        documents.map(({ f_text, lines }) => [f_text, lines]),
        HARD.map((text) => [text, 2]),
      );
    } finally {
      await restored.close();
    }
  });

  test('a second copy stores nothing anew, and a schema that is not empty is refused', async () => {
    const target = diskTarget(join(site.site.config.data, 'backups'));
    const repository = await Repository.open(target, { key: null, site: 'a site', now: Date.now });
    const bytes: number[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const { copy } = await postgresEngine(source).copy(repository, (done) => bytes.push(done));
      assert.deepEqual(copy, copied.copy);
    }
    assert.ok((bytes[0] ?? 0) > 0);
    assert.equal((await all(target.list('data/'))).length, store.parts.size);
    const { copy } = copied;
    await assert.rejects(restorePostgres(source, copy, store), /the schema test_\w+ of .* is not empty/);
  });

  test('a restore that fails leaves nothing', async () => {
    const { copy } = copied;
    const { url, drop } = await freshDatabaseUrl('postgres');
    const missing: PartStore = {
      putPart: (part) => store.putPart(part),
      getPart: (id: string) => (id === last ? store.getPart('none') : store.getPart(id)),
    };
    const last = copy.tables.findLast(({ parts }) => parts.length > 0)?.parts[0];
    await assert.rejects(restorePostgres(url, copy, missing), /no part none/);
    await asPostgresAdmin(async (client) => assert.deepEqual(await contents(client, schemaOf(url)), {}));
    await drop();
  });
});

test('a copy passes by the pooler, and has the schema of the site', () => {
  const cases: readonly [database: string, listen: string | null, schema: string | null][] = [
    ['postgres://pooler/db?schema=crm', null, 'crm'],
    ['postgres://pooler/db?schema=crm', 'postgres://direct/db', 'crm'],
    ['postgres://pooler/db?schema=crm', 'postgres://direct:1,other:2/db?sslmode=disable', 'crm'],
    ['postgres://pooler/db?schema=crm', 'postgres://direct/db?schema=public&sslmode=disable', 'crm'],
    ['postgres://pooler/db', 'postgres://direct/db', null],
  ];
  for (const [database, databaseListenUrl, schema] of cases) {
    const url = directUrl({ ...DEFAULT_CONFIG, database, databaseListenUrl });
    assert.equal(usableSettings(url).schema, schema, url);
    assert.equal(url.includes('direct'), databaseListenUrl !== null);
  }
});

describe('a copy of tables in use', { skip }, () => {
  let source: { url: string; drop(): Promise<void> };
  before(async () => {
    source = await freshDatabaseUrl('postgres');
  });
  after(() => source.drop());

  /** Makes tables and copies them, while `meanwhile` runs before each part is stored; resolves to what came back. */
  async function copiedBeside(
    tables: string,
    query: string,
    meanwhile: (client: pg.Client, part: number) => Promise<unknown>,
    limits = '',
  ): Promise<unknown[]> {
    const place = await freshDatabaseUrl('postgres');
    const store = new MemoryParts();
    let rows: unknown[] = [];
    let part = 0;
    await asPostgresAdmin(async (client) => {
      const own = schemaOf(source.url);
      const path = `set search_path = ${own}; set lock_timeout = '20s'; `;
      await client.query(`drop schema if exists ${own} cascade; create schema ${own}; ${path} ${tables}`);
      store.onPut = () => meanwhile(client, ++part);
      const { copy } = await copyPostgres(source.url + limits, store);
      await restorePostgres(place.url, copy, store);
      await client.query(`set search_path = ${schemaOf(place.url)}`);
      rows = (await client.query(query)).rows;
    });
    await place.drop();
    return rows;
  }

  const filled = (name: string) =>
    `create table "${name}" (n bigint primary key, t text);
     insert into "${name}" select n, repeat('x', 1000) from generate_series(1, 3000) n;`;

  test('is one state of all tables', async () => {
    const numbered = `create table a_first (n bigint primary key); create table z_last (n bigint primary key);
      create table middle (n bigint); insert into middle values (0); ${filled('filler')}`;
    let last = 0;
    const [row] = await copiedBeside(
      numbered,
      `select (select max(n) from a_first) as a, (select count(*) from a_first) as b, (select max(n) from z_last) as c,
        (select count(*) from z_last) as d, (select n from middle) as e`,
      (client) => {
        last += 1;
        return client.query(
          `begin; insert into a_first values (${last}); update middle set n = ${last};
           insert into z_last values (${last}); commit`,
        );
      },
      '&options=-c%20idle_in_transaction_session_timeout=1',
    );
    // The first part is the definitions, which are stored after the state is fixed.
    assert.deepEqual(row, { a: null, b: '0', c: null, d: '0', e: '0' });
    assert.ok(last > 3, `${last} transactions`);
  });

  test('has no limit of time, whatever the server sets', async () => {
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const options = limits.map((name) => `-c%20${name}=60000`).join('%20');
    const session = await openCopySession(`${source.url}&options=${options}`);
    try {
      await session.begin('read only');
      for (const name of limits)
        assert.deepEqual(await session.query(`select current_setting('${name}') as is`), [{ is: '0' }]);
    } finally {
      await session.close();
    }
  });

  test('lets others alter the tables that it does not read, and begins anew if it must', async () => {
    const rows = await copiedBeside(
      filled('a') + filled('b') + filled('c'),
      'select (select count(*) from b) as b, (select sum(o) from c) as c, (select count(*) from a) as a',
      async (client, part) => {
        if (part === 1) await client.query('alter table a add column later int');
        // Its rows are written anew, and invisible to the transaction that copies.
        if (part === 2)
          await client.query('alter table c alter column n type numeric; alter table c rename n to o');
      },
    );
    assert.deepEqual(rows, [{ a: '3000', b: '3000', c: '4501500' }]);
  });

  test('refuses what it cannot copy', async () => {
    const refused: Readonly<Record<string, RegExp>> = {
      'create table t (n int); create table p (n int) partition by range (n)': /the partitioned table p/,
      "create type mood as enum ('a'); create table t (m mood)": /a column of its own type mood/,
      'create table t (n int); create table u () inherits (t)': /the inherited table/,
      '': /there are no tables in the schema/,
    };
    for (const [tables, words] of Object.entries(refused))
      await assert.rejects(
        copiedBeside(tables, 'select 1', async () => {}),
        words,
      );
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function form(): FormData {
  const body = new FormData();
  body.set('file', new Blob(['content']), 'a.txt');
  return body;
}
