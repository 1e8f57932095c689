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
import { describeEither } from '../support/describe-site.ts';
import {
  ODD_ROW,
  ODDITIES,
  type Oddity,
  oddCombinations,
  oddDefinition,
} from '../support/odd-definitions.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-lenient-'));
after(() => rmSync(root, { recursive: true, force: true }));

function appOf(...definitions: readonly object[]): App {
  const folder = writeApp(mkdtempSync(join(root, 'app-')), 'odd', definitions);
  return { name: 'odd', doctypes: pathToFileURL(join(folder, 'doctypes/')) };
}

const COMBINATIONS = oddCombinations();
const ALONE = ODDITIES.map((oddity, at) => ({ name: `Odd ${at}`, oddity }));
const EVERY = 'Odd In Every Way';
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

const CYCLE = 200;
const cycle = Array.from({ length: CYCLE }, (_, at) => ({
  ...LATE,
  name: `Ring ${at}`,
  autoname: 'hash',
  fields: [{ fieldname: 'next', fieldtype: 'Link', options: `Ring ${(at + 1) % CYCLE}` }],
}));

const app = appOf(
  ODD_ROW,
  EARLY,
  ...cycle,
  oddDefinition(EVERY, ODDITIES),
  ...ALONE.map(({ name, oddity }) => oddDefinition(name, [oddity])),
  ...COMBINATIONS.map(({ name, oddities }) => oddDefinition(name, oddities)),
);

describeEither('odd definitions in the folder of an app', { apps: [app] }, (site) => {
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

  test('any two of them load together, and their documents are stored', async () => {
    for (const { name, oddities } of COMBINATIONS) {
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
    const sound = [
      { ...field, depends_on: known, read_only_depends_on: known },
      { fieldname: 'rows', fieldtype: 'Data', mandatory_depends_on: known },
    ];
    await site.did('PUT', 'DocType/Conditions', { fields: sound });
    assert.deepEqual(notesOf('Conditions'), []);
  });

  test('a Link to a doctype that comes later holds text until then, and is a Link from then on', async () => {
    const free = await site.make('Early', { late: 'anything', title: 'mine' });
    assert.deepEqual([free.late, free.title], ['anything', 'mine']);
    const indexes = async () =>
      (await examineSite(site.site.config, [app])).filter(({ check }) => check === 'indexes');
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

  test('a cycle of 200 doctypes loads without a note, and every Link is checked', async () => {
    for (const { name } of cycle) assert.deepEqual(site.site.doctypes.get(name).notes, []);
    const last = await site.make(`Ring ${CYCLE - 1}`, {});
    await site.make(`Ring ${CYCLE - 2}`, { next: last.name });
    const refused = await site.request('POST', '/api/resource/Ring 0', { body: { next: last.name } });
    assert.equal(refused.body.exc_type, 'LinkValidationError');
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

// Names of properties in Frappe's files, as of 2013 to 2026, without those that the server knows itself.
const OF_DOCTYPE = [
  'allow_auto_repeat allow_copy allow_events_in_timeline allow_guest_to_view allow_import beta color',
  'colour default_email_template default_print_format default_view documentation email_append_to',
  'engine field_order force_re_route_to_default_view grid_page_length has_web_view hide_toolbar',
  'image_view in_create index_web_pages_for_search is_calendar_and_gantt is_published_field links',
  'make_attachments_public menu_index migration_hash name_case parent_node plugin print_outline',
  'protect_attached_files queue_in_background quick_entry read_only_onload recipient_account_field',
  'restrict_to_domain route row_format rows_threshold_for_grid_search sender_field sender_name_field',
  'show_in_menu show_name_in_global_search show_preview_popup show_title_field_in_link smallicon',
  'states subject subject_field tag_fields timeline_field title_case track_seen track_views',
  'translated_doctype use_top_bar version website_search_field in_dialog section_style allow_email',
  'allow_print allow_attach allow_trash change_log print_format',
].join(' ');
const OF_FIELD = [
  'allow_bulk_edit allow_in_quick_entry button_color hide_border hide_days hide_seconds in_filter',
  'in_global_search in_preview in_standard_filter link_filters make_attachment_public mask max_height',
  'not_in_schema oldfieldname oldfieldtype placeholder print_hide print_hide_if_no_value print_width',
  'remember_last_selected_value report_hide set_user_permissions show_days show_seconds',
  'show_dashboard show_on_timeline sort_options sticky translatable trigger width icon alignment',
  'is_system_generated show_description_on_click',
].join(' ');
const OF_PERMISSION = [
  'match set_user_permissions restrict user_permission_doctypes apply_user_permissions mask',
].join(' ');

test("no property of Frappe's is taken for a misspelling", async () => {
  const withAll = (row: object, names: string) => ({
    ...row,
    ...Object.fromEntries(names.split(' ').map((name) => [name, ''])),
  });
  const definition = withAll({ ...LATE, name: 'Full', autoname: 'hash' }, OF_DOCTYPE);
  const fields = [withAll({ fieldname: 'title', fieldtype: 'Data' }, OF_FIELD)];
  const permissions = [withAll({ role: 'All', read: 1 }, OF_PERMISSION)];
  const config = { ...DEFAULT_CONFIG, data: join(root, 'none') };
  const { notes } = await planSite(config, [appOf({ ...definition, fields, permissions })]);
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? '', /these properties have no effect: .*oldfieldname/);
});

test('a condition that the server enforces is never ignored: its definition is refused', async () => {
  for (const condition of ['eval:doc.nowhere', 'eval:frappe.boot.user', 'eval:cur_frm']) {
    const field = {
      fieldname: 'a',
      fieldtype: 'Data',
      mandatory_depends_on: condition,
      enforce_on_server: 1,
    };
    const enforced = appOf({ ...LATE, name: 'Enforced', fields: [field] });
    const config = { ...DEFAULT_CONFIG, data: join(root, 'none') };
    await assert.rejects(planSite(config, [enforced]), /Field a: mandatory_depends_on/);
  }
});

test('standard definitions have no notes', async () => {
  const { notes } = await planSite({ ...DEFAULT_CONFIG, data: join(root, 'none') }, []);
  assert.deepEqual(notes, []);
});
