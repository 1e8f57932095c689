/** What saves leave behind: versions, and who reads them. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { renameDocument } from '../../src/document/verbs/rename.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

const EMPTY = {
  added: [],
  removed: [],
  changed: [],
  row_changed: [],
  data_import: null,
  updater_reference: null,
};

describeEither('versions', historySite(), (site) => {
  let dealer: string;
  let viewer: string;
  let accountant: string;
  let outsider: string;
  before(async () => {
    dealer = await site.createUser('dealer@example.com', ['Dealer']);
    viewer = await site.createUser('viewer@example.com', ['Viewer']);
    accountant = await site.createUser('accountant@example.com', ['Accountant']);
    outsider = await site.createUser('outsider@example.com', []);
  });

  test('a save of changes leaves one, with values as text; a creation and an empty save leave none', async () => {
    await site.did('POST', 'Deal', { name: 'V1', title: 'One', amount: 1 }, dealer);
    await site.did('PUT', 'Deal/V1', { title: 'One' }, dealer);
    assert.deepEqual(await site.versions('V1'), []);
    const saved = await site.did('PUT', 'Deal/V1', { title: 'Two', amount: 5, note: 'new' }, dealer);
    assert.deepEqual(await site.versions('V1'), [
      {
        ...EMPTY,
        changed: [
          ['title', 'One', 'Two'],
          ['amount', '1', '5'],
          ['note', null, 'new'],
        ],
      },
    ]);
    const [version] = await site.rows('Version', { docname: 'V1' }, ['owner', 'creation', 'ref_doctype']);
    assert.deepEqual(version, { owner: 'dealer@example.com', creation: saved.modified, ref_doctype: 'Deal' });
  });

  // Random names would each change a page of the index of names.
  test('versions follow each other in the index of their names', async () => {
    await site.did('POST', 'Deal', { name: 'V0' });
    for (let amount = 1; amount <= 4; amount += 1) await site.did('PUT', 'Deal/V0', { amount });
    const rows = await site.rows('Version', { docname: 'V0' }, ['name', 'creation']);
    const names = rows.sort((a, b) => (a.creation < b.creation ? -1 : 1)).map(({ name }) => name);
    assert.equal(names.length, 4);
    assert.deepEqual(names, [...names].sort());
  });

  test('the keys have the order that clients know', async () => {
    await site.did('POST', 'Deal', { name: 'V2' });
    await site.did('PUT', 'Deal/V2', { title: 'x' });
    const [row] = await site.rows('Version', { docname: 'V2' }, ['data']);
    assert.equal(
      row.data,
      '{"added":[],"removed":[],"changed":[["title","Untitled","x"]],"row_changed":[],"data_import":null,"updater_reference":null}',
    );
  });

  test('rows that came, went and changed', async () => {
    const doc = await site.did('POST', 'Deal', {
      name: 'V3',
      lines: [
        { item: 'A', qty: 1 },
        { item: 'B', qty: 2 },
      ],
    });
    const [a, b] = doc.lines;
    const saved = await site.did('PUT', 'Deal/V3', {
      lines: [
        { name: b.name, item: 'B', qty: 3 },
        { item: 'C', qty: 4 },
      ],
    });
    const [data] = await site.versions('V3', dealer);
    assert.deepEqual(data, {
      ...EMPTY,
      added: [['lines', { name: saved.lines[1].name, idx: 2, item: 'C', qty: 4 }]],
      removed: [['lines', { name: a.name, idx: 1, item: 'A', qty: 1 }]],
      row_changed: [['lines', 0, b.name, [['qty', '2', '3']]]],
    });
  });

  test('submitting and cancelling are changes of docstatus', async () => {
    await site.did('POST', 'Deal', { name: 'V4' });
    await site.did('PUT', 'Deal/V4', { docstatus: 1 });
    await site.did('PUT', 'Deal/V4', { note: 'later' });
    await site.did('PUT', 'Deal/V4', { docstatus: 2 });
    assert.deepEqual(
      (await site.versions('V4')).map((data) => data.changed),
      [[['docstatus', 0, 1]], [['note', null, 'later']], [['docstatus', 1, 2]]],
    );
  });

  test('a password is in no version, in any form', async () => {
    await site.did('POST', 'Deal', { name: 'V5', token: 'first-secret' });
    await site.did('PUT', 'Deal/V5', { token: 'second-secret' });
    assert.deepEqual(await site.versions('V5'), []);
    await site.did('PUT', 'Deal/V5', { token: '', title: 'T' });
    assert.deepEqual(
      (await site.versions('V5')).map((data) => data.changed),
      [[['title', 'Untitled', 'T']]],
    );
  });

  test('a doctype that does not track changes has none; nor has a save that fails', async () => {
    const plain = await site.did('POST', 'Plain', { title: 'a' });
    await site.did('PUT', `Plain/${plain.name}`, { title: 'b' });
    assert.deepEqual(await site.versions(plain.name, undefined, 'Plain'), []);
    await site.did('POST', 'Deal', { name: 'V6' });
    const refused = await site.ask('PUT', 'Deal/V6', { title: 'x', amount: 'many' });
    assert.equal(refused.status, 417);
    assert.deepEqual(await site.versions('V6'), []);
  });

  test('fields above the permlevel of a reader are in versions that the reader does not see', async () => {
    await site.did('POST', 'Deal', { name: 'V7', margin: 1, lines: [{ item: 'A', cost: 5 }] });
    const { lines } = await site.did('GET', 'Deal/V7');
    await site.did('PUT', 'Deal/V7', {
      title: 'both',
      margin: 2,
      lines: [
        { name: lines[0].name, item: 'A', cost: 6 },
        { item: 'B', cost: 7 },
      ],
    });
    const seen = async (as?: string) => JSON.stringify(await site.versions('V7', as));
    assert.match(await seen(accountant), /"margin","1","2"/);
    assert.match(await seen(accountant), /"cost","5","6"/);
    assert.match(await seen(accountant), /both/);
    assert.match(await seen(), /margin/);
    for (const as of [dealer, viewer]) {
      assert.match(await seen(as), /both/);
      assert.match(await seen(as), /"item":"B"/);
      assert.doesNotMatch(await seen(as), /margin|cost/);
    }
  });

  test('a field whose permlevel is raised is in no earlier version that its readers no longer see', async () => {
    const raises = [
      ['Deal', 'title', () => ({ title: 'Raised' })],
      ['Deal Line', 'qty', (line: object) => ({ lines: [{ ...line, qty: 4711 }] })],
      ['Deal Line', 'item', () => ({ lines: [{ item: 'raised', qty: 1 }] })],
      ['Deal', 'lines', (line: object) => ({ lines: [{ ...line, qty: 4712 }] })],
    ] as const;
    for (const [doctype, field, change] of raises) {
      const name = `L-${doctype}-${field}`;
      const made = await site.did('POST', 'Deal', { name, title: 'Low', lines: [{ item: 'a', qty: 1 }] });
      await site.did('PUT', `Deal/${name}`, change(made.lines[0]));
      await site.did('PUT', `Deal/${name}`, { note: `["${field}",` });
      const [raised, note] = await site.rows('Version', { docname: name }, ['name'], viewer);
      const seen = async (as: string) => (await site.rows('Version', { docname: name }, ['name'], as)).length;
      assert.equal(await seen(viewer), 2);
      const { name: setter } = await site.did('POST', 'Property Setter', {
        doctype_or_field: 'DocField',
        doc_type: doctype,
        field_name: field,
        property: 'permlevel',
        value: '1',
      });
      assert.equal(await seen(viewer), 1, field);
      assert.equal(await seen(accountant), 2, field);
      assert.equal((await site.ask('GET', `Version/${raised?.name}`, undefined, viewer)).status, 403);
      assert.equal((await site.ask('GET', `Version/${note?.name}`, undefined, viewer)).status, 200);
      await site.did('DELETE', `Property Setter/${setter}`);
      assert.equal(await seen(viewer), 2, field);
    }
  });

  test('whoever may read the document reads its versions: list and read agree, for every user', async () => {
    const own = await site.createUser('own@example.com', ['Owner Only']);
    await site.did('POST', 'Deal', { name: 'V8', title: 'mine', margin: 1 }, own);
    await site.did('PUT', 'Deal/V8', { title: 'mine too' }, own);
    await site.did('POST', 'Deal', { name: 'V9', title: 'not mine', margin: 1 });
    await site.did('PUT', 'Deal/V9', { title: 'still not', margin: 3 });
    const names = (await site.rows('Version', [], ['name'])).map((row) => row.name);
    assert.ok(names.length >= 4);
    for (const as of [own, dealer, viewer, accountant, outsider]) {
      const listed = new Set((await site.rows('Version', [], ['name'], as)).map((row) => row.name));
      for (const name of names) {
        const { status } = await site.ask('GET', `Version/${name}`, undefined, as);
        assert.equal(status, listed.has(name) ? 200 : 403, `${name} ${status}`);
      }
    }
    assert.equal((await site.versions('V8', own)).length, 1);
    assert.equal((await site.versions('V9', own)).length, 0);
    assert.equal((await site.rows('Version', [], ['name'], outsider)).length, 0);
    const guest = await site.request('GET', '/api/resource/Version', { as: null });
    assert.equal(guest.status, 403);
  });

  test('nobody writes, makes or deletes one through the interface', async () => {
    await site.did('POST', 'Deal', { name: 'V10' });
    await site.did('PUT', 'Deal/V10', { title: 'x' });
    const [{ name }] = await site.rows('Version', { docname: 'V10' }, ['name']);
    for (const as of [undefined, dealer]) {
      assert.equal((await site.ask('PUT', `Version/${name}`, { data: '{}' }, as)).status, 403);
      assert.equal((await site.ask('DELETE', `Version/${name}`, undefined, as)).status, 403);
      const made = await site.ask('POST', 'Version', { ref_doctype: 'Deal', docname: 'V10' }, as);
      assert.equal(made.status, 403, made.text);
    }
  });

  test('versions follow a rename and go with their document', async () => {
    await site.did('POST', 'Deal', { name: 'V11' });
    await site.did('PUT', 'Deal/V11', { title: 'x' });
    await site.call('frappe.client.rename_doc', { doctype: 'Deal', old_name: 'V11', new_name: 'V12' });
    assert.equal((await site.versions('V11')).length, 0);
    assert.equal((await site.versions('V12')).length, 1);
    await site.did('DELETE', 'Deal/V12');
    assert.equal((await site.versions('V12')).length, 0);
    await site.did('POST', 'Deal', { name: 'V12' });
    assert.equal((await site.versions('V12')).length, 0);
  });

  test('several changes in one transaction: each has its version, under the name the document ends with', async () => {
    for (const name of ['T1', 'T2']) await site.did('POST', 'Deal', { name });
    await unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
      await updateDocument(ctx, 'Deal', 'T1', { title: 'a' });
      await updateDocument(ctx, 'Deal', 'T1', { title: 'b' });
      await renameDocument(ctx, 'Deal', 'T1', 'T3');
      await updateDocument(ctx, 'Deal', 'T3', { title: 'c' });
      await updateDocument(ctx, 'Deal', 'T2', { title: 'd' });
      await deleteDocument(ctx, 'Deal', 'T2');
    });
    const titles = (await site.versions('T3')).map((data) => data.changed[0][2]);
    assert.deepEqual(titles, ['a', 'b', 'c']);
    assert.deepEqual([...(await site.versions('T1')), ...(await site.versions('T2'))], []);
  });

  test('a version of many rows names them without their values', async () => {
    await site.did('POST', 'Deal', { name: 'V13' });
    const lines = Array.from({ length: 40_000 }, (_, index) => ({
      item: `${'x'.repeat(120)}${index}`,
      qty: index,
    }));
    await site.did('PUT', 'Deal/V13', { lines });
    const [data, ...others] = await site.versions('V13');
    assert.equal(others.length, 0);
    assert.equal(data.truncated, true);
    assert.equal(data.added.length, 40_000);
    assert.deepEqual(Object.keys(data.added[0][1]), ['name', 'idx']);
  });
});
