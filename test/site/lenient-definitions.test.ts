/** Definitions that Frappe accepts load from the folder of an app, with notes; a single POST refuses them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import type { App } from '../../src/site/app.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { writeApp } from '../support/app-folder.ts';
import { describeSite } from '../support/describe-site.ts';
import { ODD_ROW, ODDITIES, type Oddity, oddDefinition, oddPairs } from '../support/odd-definitions.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-lenient-'));
after(() => rmSync(root, { recursive: true, force: true }));

function appOf(...definitions: readonly object[]): App {
  const folder = writeApp(mkdtempSync(join(root, 'app-')), 'odd', definitions);
  return { name: 'odd', doctypes: pathToFileURL(join(folder, 'doctypes/')) };
}

const PAIRS = oddPairs();
const ALONE = ODDITIES.map((oddity, at) => ({ name: `Odd ${at}`, oddity }));
const EVERY = 'Odd In Every Way';
const app = appOf(
  ODD_ROW,
  oddDefinition(EVERY, ODDITIES),
  ...ALONE.map(({ name, oddity }) => oddDefinition(name, [oddity])),
  ...PAIRS.map(({ name, oddities }) => oddDefinition(name, oddities)),
);

describeSite('odd definitions in the folder of an app', { apps: [app] }, (site) => {
  const notesOf = (name: string) => site.site.doctypes.get(name).notes.map(({ message }) => message);
  const isNoted = (notes: readonly string[], { problem, effect }: Oddity) =>
    notes.some((note) => problem.test(note) && note.endsWith(`; ${effect}`));

  for (const { name, oddity } of ALONE) {
    test(`${oddity.title} is a note`, async () => {
      assert.ok(isNoted(notesOf(name), oddity), notesOf(name).join());
      await site.make(name, { title: 'a', ...oddity.stores });
      const again = await site.make(name, { title: 'b', ...oddity.stores });
      const read = await site.did('GET', `${name}/${again.name}`);
      for (const [key, value] of Object.entries(oddity.stores ?? {})) {
        assert.equal(read[key], value, key);
        const filters = JSON.stringify([[key, '=', value]]);
        const found = await site.did('GET', `${name}?filters=${encodeURIComponent(filters)}&fields=["*"]`);
        assert.equal(found.length, 2, key);
        assert.equal(found[0][key], value, key);
      }
    });
  }

  test('every two of them load together, and their documents are stored', async () => {
    for (const { name, oddities } of PAIRS) {
      for (const oddity of oddities) assert.ok(isNoted(notesOf(name), oddity), `${name}: ${notesOf(name)}`);
      const values = Object.assign({}, ...oddities.map(({ stores }) => stores));
      const made = await site.make(name, values);
      for (const [key, value] of Object.entries(values)) assert.equal(made[key], value, `${name}: ${key}`);
    }
  });

  test('the notes name what a submittable child table loses', () => {
    assert.match(notesOf('Odd Row').join(), /a child table cannot be submittable; is_submittable is ignored/);
    assert.match(
      notesOf('Odd Row').join(),
      /a child table has the permissions of its parent; its own are ignored/,
    );
    assert.equal(site.site.doctypes.get('Odd Row').fieldByName.has('amended_from'), false);
  });

  test('a field that is left out is unknown to filters, and clients see no trace of it', async () => {
    for (const left of ['lost_rows', '_user_tags']) {
      assert.equal(site.site.doctypes.get(EVERY).fieldByName.has(left), false);
    }
    const filters = JSON.stringify([['lost_rows', '=', 'x']]);
    const refused = await site.request(
      'GET',
      `/api/resource/${EVERY}?filters=${encodeURIComponent(filters)}`,
    );
    assert.equal(refused.status, 417);
    const { body } = await site.request(
      'GET',
      `/api/method/frappe.desk.form.load.getdoctype?doctype=${encodeURIComponent(EVERY)}`,
    );
    const [meta] = body.docs;
    const fields = new Map<string, Record<string, unknown>>(
      meta.fields.map((field: Record<string, unknown>) => [field['fieldname'], field]),
    );
    assert.equal(fields.size, meta.fields.length, 'no field is there twice');
    assert.deepEqual(
      [...fields.keys()].toSorted(),
      [...site.site.doctypes.get(EVERY).fieldByName.keys()].toSorted(),
    );
    assert.equal(fields.get('to_row')?.['fieldtype'], 'Data');
    assert.equal(fields.get('to_nothing')?.['options'] ?? '', '');
    assert.equal(fields.get('twice')?.['fieldtype'], 'Int');
    assert.equal(fields.get('number')?.['unique'], 0);
    assert.equal(fields.get('long')?.['length'], 1_000);
    assert.equal(fields.get('of_nothing')?.['fetch_from'] ?? '', '');
    assert.deepEqual([meta.title_field ?? '', meta.search_fields, meta.autoname ?? ''], ['', 'title', '']);
    const reader = meta.permissions.find((row: { role: string }) => row.role === 'Odd Reader');
    assert.deepEqual([reader.read, reader.import], [1, 0]);
  });

  test('OpenAPI has the columns and nothing that is left out', async () => {
    const { body } = await site.request('GET', '/api/openapi.json');
    const text = JSON.stringify(body);
    assert.match(text, /"2nd_choice"/);
    assert.doesNotMatch(text, /lost_rows/);
  });

  test('a doctype with oddities can be customized, and changed where it is sound', async () => {
    const custom = { dt: EVERY, fieldname: 'extra', fieldtype: 'Data', insert_after: 'title' };
    await site.make('Custom Field', custom);
    const made = await site.make(EVERY, { extra: 'mine', twice: 4 });
    assert.deepEqual([made.extra, made.twice], ['mine', 4]);
    await site.make('Property Setter', {
      doctype_or_field: 'DocField',
      doc_type: EVERY,
      field_name: 'title',
      property: 'reqd',
      property_type: 'Check',
      value: '1',
    });
    assert.equal((await site.request('POST', `/api/resource/${EVERY}`, { body: {} })).status, 417);
    const worse = { dt: EVERY, fieldname: 'worse', fieldtype: 'Link', options: 'Not Installed' };
    const refused = await site.request('POST', '/api/resource/Custom Field', { body: worse });
    assert.equal(refused.status, 417);
    assert.match(refused.text, /there is no DocType Not Installed/);
  });

  test('a single POST refuses each of them, and stores nothing', async () => {
    for (const [at, oddity] of ODDITIES.entries()) {
      const body = oddDefinition(`Refused ${at}`, [oddity]);
      const refused = await site.request('POST', '/api/resource/DocType', { body });
      assert.equal(refused.status, 417, `${oddity.title}: ${refused.text}`);
      assert.match(refused.text, oddity.problem);
      assert.equal(site.site.doctypes.find(body.name), undefined);
    }
  });

  test('a condition of forms that is not understood is a note from every origin', async () => {
    const strange = { depends_on: 'eval:cur_frm.is_x()', read_only_depends_on: 'fn:is_open' };
    const fields = [{ fieldname: 'odd', fieldtype: 'Data', ...strange }];
    await site.make('DocType', { ...oddDefinition('Conditions', []), fields });
    const notes = notesOf('Conditions').join('\n');
    assert.match(notes, /Field odd: depends_on: .*"cur_frm".*; the field is shown/);
    assert.match(notes, /Field odd: read_only_depends_on: .*; the field can be changed/);
    assert.equal((await site.make('Conditions', { odd: 'x' })).odd, 'x');
    const known = 'eval:frappe.boot.user.roles.includes("X") || doc.rows?.some(row => row.qty in [1, 2])';
    const [field] = fields;
    const sound = [{ ...field, depends_on: known, read_only_depends_on: known }];
    await site.did('PUT', 'DocType/Conditions', { fields: sound });
    assert.deepEqual(notesOf('Conditions'), []);
  });

  test('migrate --plan and doctor show the notes', async () => {
    const { notes } = await planSite(site.site.config, [app]);
    const findings = await examineSite(site.site.config, [app]);
    const advice = findings.flatMap(({ check, message }) => (check === 'doctypes' ? [message] : []));
    for (const { name, oddity } of ALONE) {
      const ofIt = (texts: readonly string[]) => texts.filter((text) => text.includes(`DocType ${name}: `));
      assert.ok(isNoted(ofIt(notes), oddity), oddity.title);
      assert.ok(isNoted(ofIt(advice), oddity), oddity.title);
    }
  });
});

const LATE = {
  doctype: 'DocType',
  module: 'Odd',
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
};
const EARLY = {
  ...LATE,
  name: 'Early',
  autoname: 'hash',
  fields: [
    { fieldname: 'late', fieldtype: 'Link', options: 'Late' },
    { fieldname: 'title', fieldtype: 'Data', fetch_from: 'late.title' },
  ],
};

describeSite('a Link to a doctype that comes later', { apps: [appOf(EARLY)] }, (site) => {
  test('holds text until then, and is a Link from then on', async () => {
    const free = await site.make('Early', { late: 'anything', title: 'mine' });
    assert.deepEqual([free.late, free.title], ['anything', 'mine']);
    const indexes = async () =>
      (await examineSite(site.site.config, [appOf(EARLY)])).filter(({ check }) => check === 'indexes');
    assert.deepEqual(
      (await indexes()).map(({ state }) => state),
      ['ok'],
    );
    await site.make('DocType', {
      ...LATE,
      name: 'Late',
      autoname: 'prompt',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
    });
    assert.deepEqual(site.site.doctypes.get('Early').notes, []);
    await site.make('Late', { name: 'L1', title: 'theirs' });
    const made = await site.make('Early', { late: 'L1', title: 'mine' });
    assert.equal(made.title, 'theirs');
    const refused = await site.request('POST', '/api/resource/Early', { body: { late: 'L2' } });
    assert.equal(refused.body.exc_type, 'LinkValidationError');
    assert.deepEqual(
      (await indexes()).map(({ state }) => state),
      ['ok'],
    );
  });
});

const CYCLE = 200;
const cycle = Array.from({ length: CYCLE }, (_, at) => ({
  ...LATE,
  name: `Ring ${at}`,
  autoname: 'hash',
  fields: [{ fieldname: 'next', fieldtype: 'Link', options: `Ring ${(at + 1) % CYCLE}` }],
}));

describeSite('a cycle of 200 doctypes', { apps: [appOf(...cycle)] }, (site) => {
  test('loads from files without a note, and every Link is checked', async () => {
    for (const { name } of cycle) assert.deepEqual(site.site.doctypes.get(name).notes, []);
    const last = await site.make(`Ring ${CYCLE - 1}`, {});
    await site.make(`Ring ${CYCLE - 2}`, { next: last.name });
    const refused = await site.request('POST', '/api/resource/Ring 0', { body: { next: last.name } });
    assert.equal(refused.body.exc_type, 'LinkValidationError');
  });
});

test('standard definitions have no notes', async () => {
  const { notes } = await planSite({ ...DEFAULT_CONFIG, data: join(root, 'none') }, []);
  assert.deepEqual(notes, []);
});
