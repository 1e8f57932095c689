/** Apps' doctype files and the tables: what a start changes, and what it leaves alone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { readContext } from '../../src/document/context.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import type { App } from '../../src/site/app.ts';
import { loadApp, readDefinitions } from '../../src/site/schema/apps/load-app.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-sync-'));
after(() => rmSync(root, { recursive: true, force: true }));

function appWith(...definitions: object[]): App {
  const folder = mkdtempSync(join(root, 'app-'));
  for (const [index, definition] of definitions.entries()) {
    writeFileSync(join(folder, `${index}.json`), JSON.stringify(definition));
  }
  return { name: 'library', doctypes: pathToFileURL(`${folder}/`) };
}

function freshData(): string {
  return mkdtempSync(join(root, 'data-'));
}

function open(data: string, apps: App[], observed: Observation[] = []): Promise<OpenSite> {
  return openSite(
    { ...DEFAULT_CONFIG, data },
    { apps, observe: (observation) => observed.push(observation) },
  );
}

const BOOK = {
  name: 'Book',
  module: 'Library',
  autoname: 'field:title',
  fields: [{ fieldname: 'title', fieldtype: 'Data', reqd: 1 }],
  permissions: [{ role: 'Librarian', read: 1, write: 1, create: 1 }],
};

test("an app's files become doctypes and roles; a changed file changes the table and keeps the rows", async () => {
  const data = freshData();
  const first = await open(data, [appWith(BOOK)]);
  await unitOfWork(first, ADMINISTRATOR, (ctx) => createDocument(ctx, 'Book', { title: 'Emma' }));
  assert.equal(first.doctypes.get('Book').app, 'library');
  assert.equal(
    (await readDocument(readContext(first, ADMINISTRATOR), 'Role', 'Librarian')).name,
    'Librarian',
  );
  await first.close();

  const fields = [...BOOK.fields, { fieldname: 'pages', fieldtype: 'Int' }];
  const observed: Observation[] = [];
  const second = await open(data, [appWith({ ...BOOK, fields })], observed);
  const book = await readDocument(readContext(second, ADMINISTRATOR), 'Book', 'Emma');
  assert.equal(book['pages'], 0);
  assert.deepEqual(
    observed.flatMap((seen) => (seen.kind === 'schema_changed' ? [seen.doctype] : [])),
    ['Book'],
  );
  await second.close();
});

test('an unchanged site plans nothing', async () => {
  const data = freshData();
  const app = appWith(BOOK);
  const first = await open(data, [app]);
  const { version } = first.doctypes;
  await first.close();
  const observed: Observation[] = [];
  const second = await open(data, [app], observed);
  assert.equal(second.doctypes.version, version);
  // Until somebody has signed in, each start makes the first key anew, which the audit log tells.
  assert.deepEqual(
    observed.filter(({ kind }) => kind !== 'audit'),
    [],
  );
  await second.close();
});

test('a removed app leaves its doctypes and documents', async () => {
  const data = freshData();
  const first = await open(data, [appWith(BOOK)]);
  await unitOfWork(first, ADMINISTRATOR, (ctx) => createDocument(ctx, 'Book', { title: 'Emma' }));
  await first.close();
  const second = await open(data, []);
  assert.equal((await readDocument(readContext(second, ADMINISTRATOR), 'Book', 'Emma')).name, 'Emma');
  assert.equal(second.doctypes.get('Book').app, '');
  await second.close();
});

test('a stored definition parses to the same doctype as its file', async () => {
  const crm = await loadApp('crm', root);
  const site = await open(freshData(), [crm]);
  for (const definition of readDefinitions(crm)) {
    const parsed = parseDoctype(definition, 'crm');
    assert.deepEqual(site.doctypes.get(parsed.name), parsed);
  }
  await site.close();
});

test('invalid definitions stop the start, are all named, and change nothing', async () => {
  const data = freshData();
  const wrong = appWith(
    BOOK,
    { ...BOOK, name: 'Shelf', fields: [{ fieldname: 'a b', fieldtype: 'Data' }], autoname: 'hash' },
    { ...BOOK, name: 'Reader', fields: [{ fieldname: 'x', fieldtype: 'Nothing' }], autoname: 'hash' },
  );
  await assert.rejects(
    open(data, [wrong]),
    (error: unknown) => error instanceof StartError && /Shelf.*\n.*Reader/s.test(error.message),
  );
  const site = await open(data, []);
  assert.equal(site.doctypes.find('Book'), undefined);
  await site.close();
});

test('two apps may not define one doctype', async () => {
  await assert.rejects(
    open(freshData(), [appWith(BOOK), { ...appWith(BOOK), name: 'other' }]),
    /both define the doctype Book/,
  );
  await assert.rejects(open(freshData(), [appWith(), appWith()]), /Two apps are named library/);
});

test('an app is found by the name of a bundled app or by its path', async () => {
  const folder = join(root, 'own-app');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'app.ts'),
    "import { defineApp } from 'chancery';\nexport default defineApp({ name: 'own' });\n",
  );
  assert.equal((await loadApp(folder, root)).name, 'own');
  assert.equal((await loadApp(join(folder, 'app.ts'), root)).name, 'own');
  assert.equal((await loadApp('crm', root)).name, 'crm');
  await assert.rejects(loadApp('no-such-app', root), StartError);
  await assert.rejects(loadApp(join(root, 'nowhere'), root), StartError);
});
