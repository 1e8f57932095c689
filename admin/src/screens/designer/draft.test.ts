import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasOf } from './canvas-layout.ts';
import {
  changed,
  childrenOf,
  type DraftField,
  draftOf,
  duplicated,
  inserted,
  moved,
  newField,
  removed,
  sidestepped,
  stepped,
} from './draft.ts';
import { fieldnameFor, scrub } from './fieldname.ts';

const NAMES = ['a', '|s', 'b', '|c', 'c', '|t', 'd'];
const BREAKS: Readonly<Record<string, string>> = {
  '|s': 'Section Break',
  '|c': 'Column Break',
  '|t': 'Tab Break',
};

const fields = draftOf(
  { fields: NAMES.map((fieldname) => ({ fieldname, fieldtype: BREAKS[fieldname] ?? 'Data' })) },
  true,
).fields;
const keyOf = (name: string) => fields.find(({ values }) => values['fieldname'] === name)?.key ?? '';
const names = (all: readonly DraftField[]) => all.map(({ values }) => String(values['fieldname'])).join(' ');

test('a fieldname follows the label until the field is stored or named', () => {
  const first = newField([], 'Data');
  assert.equal(first.values['fieldname'], 'data');
  let all = changed([first], first.key, 'label', 'Due Date');
  assert.equal(all[0]?.values['fieldname'], 'due_date');
  all = changed(all, first.key, 'fieldname', 'due');
  assert.equal(changed(all, first.key, 'label', 'Deadline')[0]?.values['fieldname'], 'due');
  const [stored] = fields;
  assert.ok(stored);
  assert.equal(changed(fields, stored.key, 'label', 'Other')[0]?.values['fieldname'], 'a');
});

test('fieldnames are free, and never those that documents have already', () => {
  const taken = new Set(['title', 'title_2']);
  assert.equal(
    fieldnameFor('Title', 'Data', (name) => taken.has(name)),
    'title_3',
  );
  assert.equal(
    fieldnameFor('Name', 'Data', () => false),
    'name_2',
  );
  assert.equal(
    fieldnameFor('العنوان', 'Small Text', () => false),
    'small_text',
  );
  assert.equal(scrub('  E-Mail (work)!'), 'e_mail_work');
  assert.equal(scrub('2nd'), '');
});

test('fields move alone, and breaks with their parts', () => {
  assert.equal(names(moved(fields, keyOf('a'), 3)), '|s b a |c c |t d');
  assert.equal(names(moved(fields, keyOf('d'), 0)), 'd a |s b |c c |t');
  assert.equal(names(moved(fields, keyOf('|s'), 7)), 'a |t d |s b |c c');
  assert.equal(names(moved(fields, keyOf('|t'), 0)), '|t d a |s b |c c');
  assert.equal(moved(fields, keyOf('b'), 3), fields, 'to its own place');
});

test('steps by keyboard pass one field, a part, or go to the next column', () => {
  assert.equal(names(stepped(fields, keyOf('b'), -1)), 'a b |s |c c |t d');
  assert.equal(names(stepped(fields, keyOf('b'), 1)), 'a |s |c b c |t d');
  assert.equal(names(stepped(fields, keyOf('a'), -1)), NAMES.join(' '));
  assert.equal(names(sidestepped(fields, keyOf('b'), 1)), 'a |s |c c b |t d');
  assert.equal(names(sidestepped(fields, keyOf('c'), -1)), 'a |s b c |c |t d');
});

test('a copy has a name of its own, and removing a break keeps its fields', () => {
  const copy = duplicated(fields, keyOf('b'));
  assert.equal(names(copy), 'a |s b data |c c |t d');
  assert.equal(names(removed(fields, keyOf('|s'))), 'a b |c c |t d');
  assert.equal(names(inserted(fields, newField(fields, 'Section Break'), 1)).split(' ')[1], 'section_break');
});

test('the canvas has every part, also empty ones', () => {
  const shape = canvasOf(fields).map(({ head, sections }) => [
    head?.values['fieldname'] ?? null,
    sections.map(({ columns }) => columns.map((column) => names(column.fields))),
  ]);
  assert.deepEqual(shape, [
    [null, [['a'], ['b', 'c']]],
    ['|t', [['d']]],
  ]);
  const empty = canvasOf(draftOf({ fields: [{ fieldtype: 'Tab Break', fieldname: 't' }] }, true).fields);
  assert.deepEqual(
    empty.map(({ head, sections }) => [head?.values['fieldname'], sections.length]),
    [['t', 1]],
  );
});

test('only new child doctypes that a field uses are saved', () => {
  const draft = draftOf(
    { name: 'Recipe', module: 'Kitchen', fields: [{ fieldname: 'steps', options: 'Step' }] },
    true,
  );
  const children = { Step: [newField([], 'Data')], Gone: [newField([], 'Data')] };
  assert.deepEqual(
    childrenOf({ ...draft, children }).map((child) => [child['name'], child['module'], child['istable']]),
    [['Step', 'Kitchen', 1]],
  );
});
