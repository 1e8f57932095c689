/** Fixtures: documents that a site needs to have. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { Context } from '../../src/document/contract.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import type { App } from '../../src/site/app.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { engineOf } from '../support/describe-site.ts';
import { type Engine, freshDatabaseUrl } from '../support/postgres.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-fixtures-'));
after(() => rmSync(root, { recursive: true, force: true }));
const secretKey = Buffer.alloc(32, 7).toString('base64');

const SHELF = {
  name: 'Shelf',
  module: 'Library',
  autoname: 'prompt',
  fields: [
    { fieldname: 'room', fieldtype: 'Data' },
    { fieldname: 'above', fieldtype: 'Link', options: 'Shelf' },
    { fieldname: 'signs', fieldtype: 'Table', options: 'Shelf Sign' },
  ],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};
const SIGN = {
  name: 'Shelf Sign',
  module: 'Library',
  istable: 1,
  fields: [{ fieldname: 'text', fieldtype: 'Data', reqd: 1 }],
};
const LOAN = { ...SHELF, name: 'Loan', autoname: 'LOAN-.####', fields: SHELF.fields.slice(0, 1) };

/** An app in a folder of its own, whose fixtures are these files. */
function library(files: Readonly<Record<string, unknown>>): App {
  const folder = mkdtempSync(join(root, 'app-'));
  for (const definition of [SHELF, SIGN, LOAN]) {
    writeFileSync(join(folder, `doctype-${definition.name}.json`), JSON.stringify(definition));
  }
  const fixtures = mkdtempSync(join(folder, 'fixtures-'));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(fixtures, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return {
    name: 'library',
    doctypes: pathToFileURL(`${folder}/`),
    fixtures: pathToFileURL(`${fixtures}/`),
    controllers: {
      Shelf: {
        validate(doc) {
          doc['room'] = String(doc['room'] ?? 'hall').toUpperCase();
        },
      },
    },
  };
}

async function freshPlace(engine: Engine) {
  const fresh = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
  const data = mkdtempSync(join(root, 'data-'));
  // Several servers of a database share one place for files.
  const files = join(data, 'files');
  const config = { ...DEFAULT_CONFIG, data, files, database: fresh?.url ?? null, secretKey };
  const observed: Observation[] = [];
  const open = (apps: readonly App[], place = data): Promise<OpenSite> =>
    openSite({ ...config, data: place }, { apps, observe: (observation) => observed.push(observation) });
  /** Starts, does something, stops. */
  const during = async <T>(apps: readonly App[], work: (ctx: Context) => Promise<T>): Promise<T> => {
    const site = await open(apps);
    const result = await unitOfWork(site, ADMINISTRATOR, work);
    await site.close();
    return result;
  };
  return { open, during, observed, config, drop: async () => fresh?.drop() };
}

const roomOf = (name: string) => async (ctx: Context) => (await readDocument(ctx, 'Shelf', name))['room'];

for (const engine of engineOf('fixtures')) {
  test(`${engine}: fixtures are saved like documents, with hooks, links, rows and roles`, async () => {
    const { during, observed, drop } = await freshPlace(engine);
    const files = {
      'b.json': [{ doctype: 'Shelf', name: 'B', above: 'A', signs: [{ text: 'Poetry' }, { text: 'Drama' }] }],
      'a.json': [
        { doctype: 'Role', name: 'Reader' },
        { doctype: 'Shelf', name: 'A', room: 'attic', owner: 'nobody', modified: '2020-01-01 00:00:00' },
      ],
    };
    const shelves = await during([library(files)], async (ctx) => [
      await readDocument(ctx, 'Shelf', 'A'),
      await readDocument(ctx, 'Shelf', 'B'),
      await readDocument(ctx, 'Role', 'Reader'),
    ]);
    assert.deepEqual(
      shelves.map((shelf) => shelf['room']),
      ['ATTIC', 'HALL', undefined],
    );
    assert.equal(shelves[0]?.owner, 'Administrator');
    const signs = shelves[1]?.['signs'];
    assert.deepEqual(Array.isArray(signs) && signs.map((sign) => sign['text']), ['Poetry', 'Drama']);
    assert.deepEqual(
      observed.flatMap((seen) => (seen.kind === 'fixtures_applied' ? [[seen.file, seen.created]] : [])),
      [
        ['library/a.json', 2],
        ['library/b.json', 1],
      ],
    );
    await drop();
  });

  test(`${engine}: only a changed file is applied again, and creates missing documents`, async () => {
    const { during, observed, config, drop } = await freshPlace(engine);
    const a = { doctype: 'Shelf', name: 'A', room: 'attic' };
    const first = library({ 'a.json': [a] });
    await during([first], (ctx) => updateDocument(ctx, 'Shelf', 'A', { room: 'cellar' }));
    await during([first], (ctx) => deleteDocument(ctx, 'Shelf', 'A'));
    await during([first], async (ctx) => {
      await assert.rejects(readDocument(ctx, 'Shelf', 'A'), /not found/);
    });
    assert.equal(observed.filter(({ kind }) => kind === 'fixtures_applied').length, 1);
    const changed = library({ 'a.json': [a, { doctype: 'Shelf', name: 'C' }] });
    assert.deepEqual((await planSite(config, [first])).fixtures, []);
    assert.deepEqual((await planSite(config, [changed])).fixtures, ['library/a.json']);
    assert.equal(await during([changed], roomOf('A')), 'ATTIC');
    await drop();
  });

  test(`${engine}: changes of users stay, unless the file sets update`, async () => {
    const { during, drop } = await freshPlace(engine);
    const kept = { doctype: 'Shelf', name: 'A', room: 'attic' };
    const ours = { doctype: 'Shelf', name: 'B', room: 'attic', signs: [{ text: 'One' }] };
    const app = library({ 'kept.json': [kept], 'ours.json': { update: true, documents: [ours] } });
    await during([app], async (ctx) => {
      for (const name of ['A', 'B']) await updateDocument(ctx, 'Shelf', name, { room: 'cellar' });
    });
    assert.equal(await during([app], roomOf('B')), 'CELLAR');
    const next = library({
      'kept.json': [{ ...kept, room: 'roof' }],
      'ours.json': { update: true, documents: [{ ...ours, room: 'roof', signs: [{ text: 'Two' }] }] },
    });
    await during([next], async (ctx) => {
      assert.equal(await roomOf('A')(ctx), 'CELLAR');
      const shelf = await readDocument(ctx, 'Shelf', 'B');
      const signs = shelf['signs'];
      assert.equal(shelf['room'], 'ROOF');
      assert.deepEqual(Array.isArray(signs) && signs.map((sign) => sign['text']), ['Two']);
    });
    await drop();
  });

  test(`${engine}: an app that is not loaded applies no fixtures, and catches up later`, async () => {
    const { during, drop } = await freshPlace(engine);
    await during([library({ 'a.json': [{ doctype: 'Shelf', name: 'A' }] })], roomOf('A'));
    assert.equal(await during([], roomOf('A')), 'HALL', 'its documents stay');
    const more = library({ 'a.json': [{ doctype: 'Shelf', name: 'B' }] });
    assert.equal(await during([more], roomOf('B')), 'HALL');
    await drop();
  });

  test(`${engine}: an invalid fixture stops the start, and its file is rolled back`, async () => {
    const { open, during, drop } = await freshPlace(engine);
    const good = { doctype: 'Shelf', name: 'A' };
    const refused = async (content: unknown, message: RegExp) =>
      assert.rejects(
        open([library({ 'a.json': content })]),
        (error: unknown) =>
          error instanceof StartError && message.test(error.message) && error.message.includes('a.json'),
      );
    await refused([good, { doctype: 'Shelf', name: 'B', above: 'Nowhere' }], /Shelf B .*library.a\.json/);
    await refused([good, { doctype: 'Shlf', name: 'B' }], /Shlf/);
    await refused([good, { doctype: 'Loan', name: 'LOAN-9' }], /names it LOAN-0001/);
    await refused([good, { doctype: 'Shelf' }], /Document 2 .*needs a doctype and a name/);
    await refused({ documents: {} }, /must be a list/);
    await refused('[', /not JSON/);
    await during([library({})], async (ctx) => {
      await assert.rejects(readDocument(ctx, 'Shelf', 'A'), /not found/);
    });
    await drop();
  });
}

test('a first start stopped by fixtures shows credentials when it succeeds', async () => {
  const { open } = await freshPlace('sqlite');
  await assert.rejects(open([library({ 'a.json': [{ doctype: 'Shelf' }] })]));
  const site = await open([library({ 'a.json': [{ doctype: 'Shelf', name: 'A' }] })]);
  assert.ok(site.firstStart?.apiKey && site.firstStart.password);
  await site.close();
});

test('nodes that start at once apply fixtures once', async () => {
  const { open, observed, drop } = await freshPlace('postgres');
  const app = library({ 'a.json': [{ doctype: 'Shelf', name: 'A' }] });
  const sites = await Promise.all(['a', 'b', 'c'].map((name) => open([app], join(root, name))));
  assert.equal(observed.filter(({ kind }) => kind === 'fixtures_applied').length, 1);
  for (const site of sites) await site.close();
  await drop();
});
