import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadSecret } from '../../src/access/secret.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import type { Context } from '../../src/document/contract.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { chancery, flagsOf, type Ran } from '../support/command.ts';
import type { Engine } from '../support/postgres.ts';
import { siteDatabase } from '../support/site-database.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  Int: -7,
  'Long Int': 9_007_199_254_740_991,
  Float: 0.123456789,
  Currency: -1234567.89,
  Percent: 12.5,
  Rating: 0.6,
  Check: 1,
  Duration: 86_399.5,
  Date: '2024-02-29',
  Datetime: '2024-02-29 23:59:59.123456',
  Time: '23:59:59.654321',
  Link: 'Archived',
  'Dynamic Link': 'Archived',
  JSON: { a: [1, null, 'ü'] },
  Password: 'pass word',
  'Text Editor': '<p>rich <b>text</b></p>',
  Color: '#aabbcc',
  Attach: null,
  'Attach Image': null,
  Image: null,
  Barcode: '123',
  Geolocation: { type: 'FeatureCollection', features: [] },
  Phone: '+49 30 123',
};

/** A field of each fieldtype, apart from tables. */
const FIELDS = [...FIELDTYPES.keys()]
  .filter((name) => !name.startsWith('Table'))
  .map((fieldtype) => ({
    fieldname: `f_${fieldtype.toLowerCase().replaceAll(/\W/g, '_')}`,
    label: fieldtype,
    fieldtype,
    options: { Link: 'DocType', 'Dynamic Link': 'f_link', Select: 'One\nTwo' }[fieldtype] ?? '',
  }));

const VALUE_OF = Object.fromEntries(
  FIELDS.map(({ fieldname, fieldtype }) => [
    fieldname,
    fieldtype === 'Select'
      ? 'Two'
      : fieldtype === 'Dynamic Link'
        ? 'Role'
        : (VALUES[fieldtype] ?? `${fieldtype} ä "quoted" 😀`),
  ]),
);

async function fill(site: OpenSite): Promise<void> {
  const work = <T>(run: (ctx: Context) => Promise<T>) => unitOfWork(site, ADMINISTRATOR, run);
  const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, submit: 1, cancel: 1 }];
  await work((ctx) =>
    site.loadDoctypes(ctx, [
      { name: 'Archived Row', istable: 1, fields: FIELDS },
      {
        ...{ name: 'Archived', autoname: 'ARC-.####', is_submittable: 1, track_changes: 1, permissions },
        fields: [
          ...FIELDS,
          { fieldname: 'rows', label: 'Rows', fieldtype: 'Table', options: 'Archived Row' },
          { fieldname: 'many', label: 'Many', fieldtype: 'Table MultiSelect', options: 'Archived Row' },
        ],
      },
      { name: 'Archived Number', autoname: 'autoincrement', fields: [], permissions },
    ]),
  );
  await work((ctx) =>
    createDocument(ctx, 'Custom Field', {
      dt: 'Archived',
      fieldname: 'more',
      label: 'More',
      fieldtype: 'Data',
    }),
  );
  await work(async (ctx) => {
    const values = { ...VALUE_OF, f_link: 'DocType', f_dynamic_link: 'Archived' };
    const { name } = await createDocument(ctx, 'Archived', {
      ...values,
      more: 'x',
      rows: [values, {}],
      many: [values],
    });
    await createDocument(ctx, 'Archived', { docstatus: 1 });
    await createDocument(ctx, 'Archived Number', {});
    for (const is_private of [0, 1]) {
      await createDocument(ctx, 'File', {
        ...{ file_name: 'a.txt', content: 'bytes', is_private },
        ...{ attached_to_doctype: 'Archived', attached_to_name: name },
      });
    }
    await createDocument(ctx, 'User', {
      email: 'jane@example.com',
      first_name: 'Jane',
      new_password: 'a meadow of bassoons',
      roles: [{ role: 'System Manager' }],
    });
    await createDocument(ctx, 'Comment', {
      ...{ reference_doctype: 'Archived', reference_name: name, comment_type: 'Comment', content: 'well' },
    });
    await updateDocument(ctx, 'Archived', name, { f_data: 'second' });
  });
}

describe('the export of a site, and its import into an empty one', () => {
  const engines: readonly Engine[] = ['sqlite', 'postgres', 'sqlite'];
  const places: { readonly data: string; readonly url: string | null; readonly drop: () => Promise<void> }[] =
    [];
  let folder: string;
  let passphrase: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chancery-archive-'));
    passphrase = join(folder, 'passphrase');
    writeFileSync(passphrase, 'a lagoon of trombones\n');
    for (const [index, engine] of engines.entries()) {
      const data = join(folder, `archive-${process.pid}-${index}`);
      await mkdir(data);
      const made = await siteDatabase(engine, data);
      places.push({ data, url: made.url, drop: () => made.drop() });
      const site = await opened(index, false);
      if (index === 0) await fill(site);
      await site.close();
    }
  });
  after(async () => {
    for (const { drop } of places) await drop();
    await rm(folder, { recursive: true, force: true });
  });

  const configOf = (index: number) => {
    const { data = '', url = null } = places[index] ?? {};
    return { ...DEFAULT_CONFIG, apps: [], data, database: url, adminPassword: 'admin-password' };
  };
  const opened = (index: number, tool = true) => openSite(configOf(index), { tool });
  const run = (index: number, ...words: readonly string[]): Promise<Ran> =>
    chancery(folder, [...words, ...flagsOf(configOf(index))]);
  const exportOf = (index: number, ...more: readonly string[]) =>
    run(index, 'export', 'site', join(folder, `export-${index}`), ...more);
  const contentOf = (index: number): Record<string, string> => {
    const cwd = join(folder, `export-${index}`);
    const paths = globSync('{documents/*,files/*/*,files.ndjson}', { cwd });
    return Object.fromEntries(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]));
  };

  /** An import into the last site that ends after the documents, and others without the bytes of files. */
  async function endEarly(from: string, secrets: readonly string[]): Promise<void> {
    const [bytes = ''] = globSync('files/*/*', { cwd: from });
    const content = readFileSync(join(from, bytes));
    rmSync(join(from, bytes));
    const change = async (text: string) => {
      const site = await opened(2);
      await site.database.transaction((db) => db.run({ text, values: [] }));
      await site.close();
    };
    const failure = () => run(2, 'import', from, ...secrets).then(({ stderr }) => stderr, String);
    await change(`create trigger "stop" before insert on "_password" when new."user" = 'jane@example.com'
                  begin select raise(abort, 'stopped'); end`);
    assert.match(await failure(), /stopped/);
    await change('drop trigger "stop"');
    const listed = async () => {
      const { code, stdout, stderr } = await run(2, 'import', from, ...secrets);
      assert.deepEqual([code, stderr], [1, '']);
      return stdout;
    };
    const first = await listed();
    assert.match(first, /^\/files\/a.txt: The export lacks its bytes$/m);
    assert.match(first, /^\/private\/files\/a.txt: The export lacks its bytes$/m);
    assert.match(first, /^LOAD-\d+: \d+ inserted/m);
    for (const damaged of ['b', 'bites']) {
      writeFileSync(join(from, bytes), damaged);
      assert.match(await listed(), /^\/files\/a.txt: .*damaged$/m);
    }
    writeFileSync(join(from, bytes), content);
  }

  test('is the same after SQLite, PostgreSQL and SQLite', async () => {
    const secrets = ['--passphrase-file', passphrase];
    const first = await exportOf(0, ...secrets);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    const texts = Object.values(contentOf(0)).join('');
    for (const part of ['23:59:59.654321', 'a.txt', 'ARC-0001', 'bytes'])
      assert.ok(texts.includes(part), part);
    for (const index of [1, 2]) {
      if (index === 2) await endEarly(join(folder, 'export-1'), secrets);
      const imported = await run(index, 'import', join(folder, `export-${index - 1}`), ...secrets);
      assert.deepEqual([imported.code, imported.stderr], [0, ''], imported.stdout);
      assert.equal((await exportOf(index, ...secrets)).code, 0);
      assert.deepEqual(contentOf(index), contentOf(0));
    }
    const site = await opened(2);
    try {
      const next = await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, 'Archived', {}));
      assert.equal(next.name, 'ARC-0003');
      const { reader } = site.database;
      assert.equal(await loadSecret(site, reader, 'Archived', 'ARC-0001', 'f_password'), 'pass word');
      const passwords = await reader.all(sql`select "user" from "_password" order by "user"`);
      assert.deepEqual(passwords, [{ user: 'Administrator' }, { user: 'jane@example.com' }]);
      const versions = await reader.all(
        sql`select "docname" from "Version" where "ref_doctype" = 'Archived'`,
      );
      assert.ok(versions.length > 0, 'the version of the change');
    } finally {
      await site.close();
    }
  });

  test('refuses a site that is not empty, damage, and a missing or wrong passphrase', async () => {
    const from = join(folder, 'export-0');
    const full = await run(2, 'import', from, '--passphrase-file', passphrase);
    assert.deepEqual([full.code, /needs an empty site/.test(full.stderr)], [1, true]);
    assert.match((await run(2, 'import', from)).stderr, /--passphrase-file/);
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, 'another passphrase');
    assert.match((await run(2, 'import', from, '--passphrase-file', wrong)).stderr, /passphrase is another/);
    writeFileSync(join(from, 'files.ndjson'), '\n');
    const damaged = await run(2, 'import', from, '--passphrase-file', passphrase);
    assert.match(damaged.stderr, /files.ndjson is not as it was exported/);
  });

  test('leaves secrets out unless asked for, and keeps others out of a folder that was there', async () => {
    const to = join(folder, 'open');
    await mkdir(to);
    await chmod(to, 0o755);
    assert.match((await run(0, 'export', 'site', to)).stdout, /no passwords, keys or secrets/);
    assert.equal(existsSync(join(to, 'secrets')), false);
    for (const path of globSync('**/*.ndjson', { cwd: to })) {
      assert.ok(!readFileSync(join(to, path), 'utf8').includes('pass word'), path);
    }
    assert.match((await run(0, 'export', 'site', to)).stderr, /is not empty/);
    const modes = globSync('**', { cwd: to }).map((path) => [path, statSync(join(to, path)).mode & 0o077]);
    assert.ok(modes.length > 20);
    assert.deepEqual(
      modes.filter(([, mode]) => mode !== 0),
      [],
    );
  });
});
