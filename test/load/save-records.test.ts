/** The ordinary import, record by record: how it finds documents, and how an undo brings them back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { CommitListener } from '../../src/document/contract.ts';
import { type LoadMode, readLoad } from '../../src/load/data-load.ts';
import { runLoad } from '../../src/load/run-load.ts';
import { saveApplier } from '../../src/load/save/save-applier.ts';
import { runDueLoads } from '../../src/load/server/server-loads.ts';
import { undoLoad } from '../../src/load/undo-load.ts';
import { describeEither } from '../support/describe-site.ts';
import { newLoad, sourceOf, storeOptions } from '../support/load.ts';

const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, import: 1 }];
const doctypes = [
  {
    ...{ name: 'Place', autoname: 'prompt', permissions },
    fields: [
      { fieldname: 'code', fieldtype: 'Data', unique: 1 },
      { fieldname: 'near', fieldtype: 'Link', options: 'Place', unique: 1 },
      { fieldname: 'text', fieldtype: 'Data' },
    ],
  },
  {
    ...{ name: 'Visit', autoname: 'naming_series:', permissions },
    fields: [{ fieldname: 'naming_series', fieldtype: 'Select', options: 'A-.###\nB-.###' }],
  },
];

describeEither('records of an import', { doctypes }, (server) => {
  const applierFor = (mode: LoadMode, keyField: string, site = server.site) =>
    saveApplier({
      ...storeOptions(site, { mode }),
      ...{ doctype: server.site.doctypes.get('Place'), keyField, hooks: true, webhooks: true },
    });
  type Values = Readonly<Record<string, string>>;
  async function run(applier: ReturnType<typeof applierFor>, mode: LoadMode, records: readonly Values[]) {
    const { site } = server;
    return runLoad({
      site,
      load: await newLoad(site, storeOptions(site, { mode })),
      source: sourceOf(records.map((record) => ({ doctype: 'Place', ...record }))),
      applier,
    });
  }
  const save = (mode: LoadMode, keyField: string, ...records: readonly Values[]) =>
    run(applierFor(mode, keyField), mode, records);
  const textOf = async (name: string) => (await server.did('GET', `Place/${name}`)).text;

  test('records share a commit, and one that is refused takes no other with it', async () => {
    const units: number[] = [];
    const listeners = server.site.commitListeners as CommitListener[];
    listeners.push(async ({ events }) => {
      units.push(events.filter(({ doctype }) => doctype.name === 'Place').length);
    });
    const records = Array.from({ length: 40 }, (_, row) => ({ name: `Shared ${row}` }));
    const near = { name: 'Refused', near: 'Nowhere' };
    // A unit of work takes no further record after some time, which does not pass here.
    const now = server.site.clock.micros();
    const applier = applierFor('Insert', 'name', { ...server.site, clock: { micros: () => now } });
    const { counts } = await run(applier, 'Insert', [...records.slice(0, 20), near, ...records.slice(20)]);
    listeners.pop();
    assert.deepEqual([counts.inserted, counts.failed], [40, 1]);
    const committed = units.reduce((sum, count) => sum + count, 0);
    assert.ok(committed >= 40 && units.length < 40, `the commits were of ${units} changes`);
    const stored = await server.site.database.reader.all(
      sql`select "name" from "Place" where "name" like 'Shared%'`,
    );
    assert.equal(stored.length, 40);
  });

  test('units take several series in one order, so that they cause no deadlock', async () => {
    const { site } = server;
    const units: string[][] = [];
    const listeners = site.commitListeners as CommitListener[];
    listeners.push(async ({ events }) => {
      const made = events.filter(({ doctype, name }) => doctype.name === 'Visit' && name === 'after_insert');
      units.push(made.map(({ doc }) => String(doc.name).slice(0, 1)));
    });
    const records = Array.from({ length: 40 }, (_, row) => ({
      ...{ doctype: 'Visit', name: `${row}` },
      naming_series: row % 2 === 0 ? 'B-.###' : 'A-.###',
    }));
    const store = storeOptions(site, { mode: 'Insert' });
    const doctype = site.doctypes.get('Visit');
    const { counts } = await runLoad({
      ...{ site, load: await newLoad(site, store), source: sourceOf(records) },
      applier: saveApplier({ ...store, doctype, keyField: 'name', hooks: true, webhooks: true }),
    });
    listeners.pop();
    assert.equal(counts.inserted, 40);
    for (const unit of units) assert.deepEqual(unit, unit.toSorted());
  });

  test('a key finds the document in the form in which it is stored', async () => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    await server.make('Place', { name: composed });
    await server.make('Place', { name: 'Bar', near: composed });
    const byName = await save('Update', 'name', { name: ` ${decomposed} `, text: 'by name' });
    assert.deepEqual([byName.counts.updated, await textOf(composed)], [1, 'by name']);
    const byLink = await save('Update', 'near', { name: '1', near: decomposed, text: 'by link' });
    assert.deepEqual([byLink.counts.updated, await textOf('Bar')], [1, 'by link']);
    const added = await save('Upsert', 'name', { name: 'Ro\u0301ma' });
    assert.equal(added.counts.inserted, 1);
  });

  test('a unique text finds the document whatever spaces and accents its file has, and stays as it is', async () => {
    const places = [
      { name: 'Exact', code: ' K-1 ' },
      { name: 'Plain', code: 'K-1' },
      { name: 'Accent', code: 'Caf\u00e9' },
    ];
    for (const place of places) await server.make('Place', place);
    const rows = [' K-1 ', 'K-1\u00a0', ' Cafe\u0301', '  New\t'].map((code, at) => ({
      ...{ name: `row ${at}`, code, text: `by ${at}` },
    }));
    const { counts } = await save('Upsert', 'code', ...rows);
    assert.deepEqual([counts.updated, counts.inserted, counts.failed], [3, 1, 0]);
    const texts = await Promise.all(
      [...places, { name: 'row 3' }].map(({ name }) => server.did('GET', `Place/${name}`)),
    );
    assert.deepEqual(
      texts.map(({ code, text }) => [code, text]),
      [
        [' K-1 ', 'by 0'],
        ['K-1', 'by 1'],
        ['Caf\u00e9', 'by 2'],
        ['New', 'by 3'],
      ],
    );
    const spaces = await save('Update', 'code', { name: 'none', code: '  ', text: 'x' });
    assert.equal(spaces.counts.failed, 1);
  });

  test('all or none: after a kill before the undo, the background undoes the good records', async () => {
    const { site } = server;
    const load = await newLoad(site, storeOptions(site, { mode: 'Insert' }));
    const records = [{ name: 'Good' }, { name: 'Bad', near: 'Nowhere' }];
    const killed = await runLoad({
      ...{ site, load, isAllOrNone: true, applier: applierFor('Insert', 'name') },
      source: sourceOf(records.map((record) => ({ doctype: 'Place', ...record }))),
    });
    assert.deepEqual([killed.status, killed.counts.inserted, killed.counts.failed], ['Undoing', 1, 1]);
    await site.database.transaction((db) =>
      db.run(sql`update "Data Load" set "modified" = '2026-01-01 00:00:00.000000' where "name" = ${load}`),
    );
    await runDueLoads(site, new AbortController().signal);
    const ended = await readLoad(site.database.reader, load);
    assert.deepEqual([ended.status, ended.undone, ended.kept], ['Undone', 1, 0]);
    assert.match(ended.error ?? '', /^1 records failed, so the stored ones are undone/);
    assert.equal((await server.request('GET', '/api/resource/Place/Good')).status, 404);
  });

  test('a document that several rows changed gets its first values back', async () => {
    await server.make('Place', { name: 'Twice', code: 'k', text: 'first' });
    const rows = Array.from({ length: 30 }, (_, row) => ({ name: `${row}`, code: 'k', text: `row ${row}` }));
    const { name: load } = await save('Update', 'code', ...rows);
    assert.equal(await textOf('Twice'), 'row 29');
    // In batches smaller than its rows.
    const undone = await undoLoad({
      ...{ site: server.site, load },
      applier: (of) => ({ ...applierFor('Update', 'code')(of), batch: 7 }),
    });
    assert.deepEqual([undone.undone, undone.kept, await textOf('Twice')], [30, 0, 'first']);
  });

  test('the last row of a document wins, also after one that waits for another document', async () => {
    const { counts } = await save(
      ...(['Upsert', 'code'] as const),
      { name: 'Early', code: 'e', near: 'Late', text: 'first' },
      { name: 'Early', code: 'e', text: 'last' },
      { name: 'Late', code: 'l' },
    );
    assert.deepEqual([counts.inserted, counts.updated, counts.failed], [2, 1, 0]);
    assert.equal(await textOf('Early'), 'last');
  });
});
