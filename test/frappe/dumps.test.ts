/** Reading the dumps of real databases: every value arrives as it was stored. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readText } from '../../src/frappe/dump/read-text.ts';
import type { Cell, DumpVisitor } from '../../src/frappe/dump/source.ts';
import { openDatabase, type SourceDatabase } from '../../src/frappe/input/read-database.ts';
import { DUMPS, makeSqlite } from './support/databases.ts';
import { encryptFile, noGpg } from './support/gpg.ts';
import { PASSPHRASE } from './support/secrets.ts';
import { type Database, storable, type Table, type Value } from './support/shapes.ts';
import { siteTables } from './support/site.ts';

const directory = mkdtempSync(join(tmpdir(), 'chancery-dumps-'));
after(() => rm(directory, { recursive: true, force: true }));

type Rows = Record<string, Record<string, Cell>[]>;

async function rowsOf(source: SourceDatabase): Promise<Rows> {
  const found: Rows = {};
  await source.read(collecting(found));
  return found;
}

function collecting(found: Rows): DumpVisitor {
  return {
    table({ name, columns }) {
      const rows: Record<string, Cell>[] = [];
      found[name] = rows;
      return (row) => rows.push(Object.fromEntries(columns.map((column, at) => [column.name, row.cell(at)])));
    },
  };
}

/** The stored values of the site's tables, as a dump of this database shows them. */
function expected(database: Database): Rows {
  return Object.fromEntries(
    siteTables().map((table) => [table.name, table.rows.map((row) => shown(table, row, database))]),
  );
}

function shown(table: Table, row: Readonly<Record<string, Value>>, database: Database): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(table.columns).map(([name, kind]) => {
      const value = row[name] ?? null;
      if (kind === 'decimal') return [name, decimal(String(value ?? 0), database)];
      if (value === null) return [name, kind === 'int' || kind === 'tinyint' ? '0' : null];
      if (Buffer.isBuffer(value)) return [name, value];
      if (kind === 'time' && database === 'mariadb') return [name, `${value}.000000`];
      return [name, storable(String(value), database)];
    }),
  );
}

function decimal(text: string, database: Database): string {
  const [whole = '0', fraction = ''] = text.split('.');
  return database === 'sqlite' ? String(Number(text)) : `${whole}.${fraction.padEnd(9, '0')}`;
}

function assertSame(found: Rows, database: Database): void {
  const wanted = expected(database);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(wanted).sort());
  for (const [table, rows] of Object.entries(wanted)) {
    assert.deepEqual(sorted(found[table] ?? []), sorted(rows), table);
  }
}

function sorted(rows: readonly Record<string, Cell>[]): Record<string, Cell>[] {
  return rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

for (const [form, path] of Object.entries(DUMPS)) {
  test(`every value of ${form} arrives`, async () => {
    const source = await openDatabase(path, null);
    assert.equal(source.engine, form.startsWith('pg_dump') ? 'postgres' : 'mariadb');
    assertSame(await rowsOf(source), source.engine);
  });
}

test('every value of the file of an SQLite site arrives', async () => {
  const path = join(directory, 'site.db');
  makeSqlite(path, siteTables());
  const source = await openDatabase(path, null);
  assert.equal(source.engine, 'sqlite');
  assertSame(await rowsOf(source), 'sqlite');
  const packed = join(directory, 'packed.db.gz');
  writeFileSync(packed, gzipSync(readFileSync(path)));
  await assert.rejects(
    openDatabase(packed, null),
    /packed\.db\.gz holds a packed .* unpack or decrypt it first/,
  );
});

test('an encrypted dump is read with its passphrase only', { skip: noGpg }, async () => {
  const path = join(directory, 'site-database-enc.sql.gz');
  const plain = join(directory, 'plain.sql.gz');
  copyFileSync(DUMPS['mariadb-dump'], plain);
  encryptFile(plain, path);
  assertSame(await rowsOf(await openDatabase(path, PASSPHRASE)), 'mariadb');
  await assert.rejects(openDatabase(path, null), /encrypted by gpg; name the file with its passphrase/);
  await assert.rejects(openDatabase(path, 'wrong'), /cannot be decrypted/);
});

test('a dump that ends early is refused', async () => {
  const path = join(directory, 'cut.sql.gz');
  const whole = readFileSync(DUMPS['mariadb-dump']);
  writeFileSync(path, whole.subarray(0, whole.length - 2_000));
  const source = await openDatabase(path, null);
  await assert.rejects(rowsOf(source), /cut\.sql\.gz is damaged/);
});

/** Texts whose parts arrive in chunks of every size. */
const TEXTS: readonly (readonly [Database, string, Rows])[] = [
  [
    'mariadb',
    'CREATE TABLE `tab``x` (\n  `a` text,\n  `b` longblob,\n  KEY `a` (`a`)\n) ENGINE=x;\n' +
      "INSERT INTO `tab``x` VALUES ('it''s (1),(2); \\'q\\'\\\\',_binary 'a\\0\\Z')," +
      "(NULL,0x00FF),\n('ü',NULL);\nCOMMIT;\n",
    {
      'tab`x': [
        { a: "it's (1),(2); 'q'\\", b: Buffer.from('a\0\x1a') },
        { a: null, b: Buffer.from([0, 255]) },
        { a: 'ü', b: null },
      ],
    },
  ],
  [
    'postgres',
    'CREATE TABLE "x y"."tabT" (\n    a text,\n    b integer DEFAULT 0 NOT NULL,\n' +
      '    CONSTRAINT k CHECK (true)\n);\n' +
      `INSERT INTO "x y"."tabT" (b, a) VALUES (-1, 'one\n);\n''two''\\n');\n` +
      `INSERT INTO "x y"."tabT" VALUES\n\t('x', 2),\n\t(NULL, 3);\n`,
    {
      tabT: [
        { a: "one\n);\n'two'\\n", b: '-1' },
        { a: 'x', b: '2' },
        { a: null, b: '3' },
      ],
    },
  ],
  [
    'postgres',
    'CREATE TABLE public."tabT" (\n    a text,\n    b integer\n);\nCOPY public."tabT" (b, a) FROM stdin;\n' +
      '1\t\\\\N\\n\\t\n\\N\t\\N\n2\t\n\\.\n\nSELECT 1;\n',
    {
      tabT: [
        { a: '\\N\n\t', b: '1' },
        { a: null, b: null },
        { a: '', b: '2' },
      ],
    },
  ],
];

/** Texts of several lines in statements that are passed over. Their lines look like statements of the dump. */
const MULTILINE = `CREATE TABLE public."tabO'Neil" (
    a text DEFAULT 'it''s
    b text
);
INSERT INTO "tabO''Neil" VALUES (''c'');
'::text,
    "d""'" text
);

COMMENT ON COLUMN public."tabO'Neil".a IS 'One''s
-- Name: tabT
COPY public."tabO''Neil" (a) FROM stdin;
CREATE TABLE gone (
DO $$
';
ALTER TABLE ONLY public."tabO'Neil" ALTER COLUMN a SET DEFAULT '
INSERT INTO "tabO''Neil" VALUES (''e'');';
INSERT INTO public."tabO'Neil" VALUES ('f', 'g');
`;

test('texts of several lines in other statements of PostgreSQL are no rows', async () => {
  const wanted = { "tabO'Neil": [{ a: 'f', 'd"\'': 'g' }] };
  const found: Rows = {};
  const said: string[] = [];
  const visitor = { ...collecting(found), comment: (comment: string) => said.push(comment) };
  await readText(chunks(Buffer.from(MULTILINE), 30), 'postgres', visitor);
  assert.deepEqual([found, said], [wanted, []]);
  await assert.rejects(
    readText(chunks(Buffer.from("COMMENT ON TABLE x IS 'cut\n"), 30), 'postgres', visitor),
    /ends in the middle of/,
  );
});

test('a text is read alike however it is cut into chunks', async () => {
  for (const [engine, text, wanted] of TEXTS) {
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 7, bytes.length]) {
      const found: Rows = {};
      await readText(chunks(bytes, size), engine, collecting(found));
      assert.deepEqual(found, wanted, `${engine} by ${size}`);
    }
  }
});

test('tables that nobody asked for are passed over, whatever their texts hold', async () => {
  for (const [engine, text, wanted] of TEXTS) {
    const found: Rows = {};
    const other = text.replaceAll(/tab(?:T|``x)/g, 'other');
    const visitor = collecting(found);
    await readText(chunks(Buffer.from(other + text), 50), engine, {
      table: (table) => (table.name === 'other' ? null : visitor.table(table)),
    });
    assert.deepEqual(found, wanted, engine);
  }
});

/** Bodies of functions whose lines look like statements of the dump. */
const BODIES: readonly (readonly [Database, string])[] = [
  ['mariadb', 'DELIMITER ;;\nCREATE TRIGGER t AFTER INSERT ON x\nBEGIN\nBODY\nEND ;;\nDELIMITER ;\n'],
  ['mariadb', 'DELIMITER $$\r\nCREATE FUNCTION f()\r\nBODY\r\nEND $$\r\nDELIMITER ;\r\n'],
  ['postgres', 'CREATE FUNCTION f() RETURNS trigger\n    AS $_$\nBEGIN\nBODY\n$$;\nBODY\nEND;\n$_$;\n'],
  ['postgres', "CREATE FUNCTION f() RETURNS text\n    AS $$ SELECT ''; $$;\n"],
  ['postgres', 'CREATE PROCEDURE f()\n    AS $$BEGIN\nBODY\nEND$$;\n'],
];

test('bodies of triggers and functions are no rows', async () => {
  const row = "INSERT INTO tabT VALUES ('a');";
  const table = `CREATE TABLE tabT (\n  a text\n);\n${row}\n`;
  for (const [engine, body] of BODIES) {
    const within = ["INSERT INTO tabT VALUES ('b');", 'INSERT INTO gone VALUES (new.a);', '-- said'].join(
      '\n',
    );
    const text = table + body.replaceAll('BODY', within) + row;
    const found: Rows = {};
    const said: string[] = [];
    const visitor = { ...collecting(found), comment: (comment: string) => said.push(comment) };
    await readText(chunks(Buffer.from(text), 50), engine, visitor);
    assert.deepEqual([found, said], [{ tabT: [{ a: 'a' }, { a: 'a' }] }, []], body);
  }
});

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
