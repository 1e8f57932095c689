import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type ErrorType, ServiceError } from '../kernel/errors.ts';
import type { DocType } from './doctype.ts';
import { parseDoctype } from './parse-doctype.ts';
import { checkReferences } from './references.ts';
import { buildRegistry } from './registry.ts';

const TITLE = { fieldname: 'title', fieldtype: 'Data' };

function problemsOf(json: unknown, type: ErrorType = 'ValidationError'): string {
  let problems = '';
  assert.throws(
    () => parseDoctype(json),
    (error) => {
      if (!(error instanceof ServiceError) || error.type !== type) return false;
      problems = (error.details.messages ?? [error.message]).join('\n');
      return true;
    },
  );
  return problems;
}

const withField = (...fields: readonly object[]) => ({ name: 'Book', fields });

test('a small definition becomes a frozen doctype with standard columns first', () => {
  const book = parseDoctype(
    {
      ...withField({ label: 'Due Date', fieldtype: 'Date', reqd: true }, { fieldtype: 'Section Break' }),
      fancy: 1,
    },
    'library',
  );
  assert.equal(book.app, 'library');
  assert.deepEqual(
    book.columns.map((column) => column.fieldname),
    ['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx', 'due_date'],
  );
  assert.equal(book.fieldByName.get('due_date')?.reqd, true);
  assert.equal(book.fields[1]?.fieldname, 'section_break_2');
  assert.equal(book.sort_field, 'modified');
  assert.equal(book.sort_order, 'desc');
  assert.ok(Object.isFrozen(book) && Object.isFrozen(book.fields) && Object.isFrozen(book.fields[0]));
});

test('a child doctype has columns that place its rows', () => {
  const columns = parseDoctype({ ...withField(TITLE), istable: 1 }).columns.map((column) => column.fieldname);
  assert.deepEqual(columns.slice(6), ['idx', 'parent', 'parenttype', 'parentfield', 'title']);
});

test('layout and virtual fields have no column', () => {
  const book = parseDoctype(
    withField(
      TITLE,
      { fieldname: 'html', fieldtype: 'HTML' },
      { fieldname: 'seen', fieldtype: 'Int', is_virtual: 1 },
    ),
  );
  assert.equal(book.columns.at(-1)?.fieldname, 'title');
  assert.ok(book.fieldByName.has('seen'));
});

test('a submittable doctype gets amended_from, unless it has its own', () => {
  const made = parseDoctype({ ...withField(TITLE), is_submittable: 1 }).fieldByName.get('amended_from');
  assert.deepEqual([made?.options, made?.read_only, made?.no_copy], ['Book', true, true]);
  const own = { fieldname: 'amended_from', fieldtype: 'Link', options: 'Book', label: 'Mine' };
  assert.equal(parseDoctype({ ...withField(own), is_submittable: 1 }).fields.length, 1);
});

test('a label that leads to a restricted fieldname gets a suffix; the fieldname itself is refused', () => {
  assert.equal(parseDoctype(withField({ label: 'Name' })).fields[0]?.fieldname, 'name1');
  assert.match(problemsOf(withField({ fieldname: 'Name' }), 'InvalidFieldNameError'), /restricted/);
});

test('the empty first option of a Select is kept, the spaces around a Link target are not', () => {
  const book = parseDoctype(
    withField(
      { fieldname: 'a', fieldtype: 'Select', options: '\nOpen\n' },
      { fieldname: 'b', fieldtype: 'Link', options: ' User ' },
    ),
  );
  assert.deepEqual(
    book.fields.map((field) => field.options),
    ['\nOpen', 'User'],
  );
});

describe('names are refused', () => {
  const bad = [
    '',
    ' ',
    '1st',
    '_session',
    'A"B',
    'Größe',
    'a/b',
    'x'.repeat(62),
    'sqlite_master',
    'SQLite_x',
    'pg_class',
  ];
  for (const name of [...bad, 'constructor', 'ToString', 'A\0', null, {}, 7]) {
    test(JSON.stringify(name), () => {
      problemsOf({ name, fields: [TITLE] }, 'NameError');
    });
  }
});

describe('fields are refused', () => {
  const cases: readonly [string, object, RegExp, ErrorType?][] = [
    ['unknown fieldtype', { fieldname: 'a', fieldtype: 'Blob' }, /no fieldtype "Blob"/],
    ['fieldtype __proto__', { fieldname: 'a', fieldtype: '__proto__' }, /no fieldtype/],
    ['neither fieldname nor label', { fieldtype: 'Data' }, /needs a fieldname/],
    ['label without letters', { label: '数量' }, /needs a fieldname/],
    ['fieldname with a quote', { fieldname: 'a"; drop table x' }, /letters, digits/, 'InvalidColumnName'],
    ['fieldname with a leading underscore', { fieldname: '_revision' }, /letters, digits/],
    ['fieldname too long', { fieldname: 'a'.repeat(62) }, /longer than/],
    ['restricted name', { fieldname: 'parent' }, /restricted/, 'InvalidFieldNameError'],
    ['name every object inherits', { fieldname: 'constructor' }, /restricted/, 'InvalidFieldNameError'],
    [
      'Link without options',
      { fieldname: 'a', fieldtype: 'Link' },
      /options are required/,
      'DoctypeLinkError',
    ],
    ['Table without options', { fieldname: 'a', fieldtype: 'Table' }, /options are/, 'DoctypeLinkError'],
    ['mandatory layout', { fieldtype: 'Section Break', reqd: 1 }, /cannot be mandatory/],
    ['unique Check', { fieldname: 'a', fieldtype: 'Check', unique: 1 }, /cannot be unique/, 'NonUniqueError'],
    ['unique Text', { fieldname: 'a', fieldtype: 'Text', unique: 1 }, /cannot be unique/, 'NonUniqueError'],
    ['indexed Text', { fieldname: 'a', fieldtype: 'Text', search_index: 1 }, /cannot be indexed/],
    ['long indexed Data', { fieldname: 'a', unique: 1, length: 700 }, /at most 600/],
    [
      'hidden and mandatory',
      { fieldname: 'a', hidden: 1, reqd: 1 },
      /needs a default/,
      'HiddenAndMandatoryWithoutDefaultError',
    ],
    ['default of a Check', { fieldname: 'a', fieldtype: 'Check', default: '2' }, /default: .* 0 or 1/],
    ['default of an Int', { fieldname: 'a', fieldtype: 'Int', default: 'many' }, /default/],
    ['default of a Select', { fieldname: 'a', fieldtype: 'Select', options: 'A', default: 'B' }, /default/],
    ['default of a Date', { fieldname: 'a', fieldtype: 'Date', default: 'Tomorrow' }, /default/],
    ['flag', { fieldname: 'a', reqd: 'yes' }, /reqd must be 0 or 1/],
    ['permlevel', { fieldname: 'a', permlevel: 10 }, /permlevel/],
    ['Dynamic Link', { fieldname: 'a', fieldtype: 'Dynamic Link', options: 'b' }, /options must name/],
  ];
  for (const [name, field, message, type] of cases) {
    test(name, () => assert.match(problemsOf(withField(field), type), message));
  }
  test('a repeated name in any case', () => {
    assert.match(
      problemsOf(withField(TITLE, { fieldname: 'Title' }), 'UniqueFieldnameError'),
      /more than once/,
    );
  });
  test('with the type that all problems share', () => {
    const [link, other] = ['a', 'b'].map((fieldname) => ({ fieldname, fieldtype: 'Link' }));
    problemsOf(withField({ ...link }, { ...other }), 'DoctypeLinkError');
    problemsOf(withField({ ...link }, { ...other, unique: 1, fieldtype: 'Text' }), 'ValidationError');
    problemsOf({ ...withField({ ...link }), name: '1' }, 'NameError');
  });
  test('too many', () => {
    const fields = Array.from({ length: 1001 }, (_, index) => ({ fieldname: `f${index}` }));
    assert.match(problemsOf({ name: 'Book', fields }), /the most is 1000/);
  });
});

describe('the definition is refused', () => {
  const cases: readonly [string, object, RegExp, ErrorType?][] = [
    ['autoname of a missing field', { autoname: 'field:isbn' }, /autoname/],
    ['autoname of a table', { autoname: 'field:' }, /autoname/],
    ['series without its field', { autoname: 'naming_series:' }, /naming_series/],
    ['unknown autoname', { autoname: 'sequential' }, /not a known form/],
    ['autoname with markup', { autoname: '<b>.####' }, /not a known form/],
    ['sort_field', { sort_field: 'price' }, /sort_field/, 'InvalidFieldNameError'],
    ['sort_order', { sort_order: 'random' }, /sort_order/],
    ['title_field', { title_field: 'price' }, /title_field/, 'InvalidFieldNameError'],
    ['search_fields', { search_fields: 'title, price' }, /search_fields: price/],
    [
      'child with permissions',
      { istable: 1, permissions: [{ role: 'All', read: 1 }] },
      /permissions of its parent/,
    ],
    ['child that is submittable', { istable: 1, is_submittable: 1 }, /cannot be submittable/],
    ['fields of another shape', { fields: { title: 'Data' } }, /list of objects/],
    ['fields of nulls', { fields: [null] }, /list of objects/],
  ];
  for (const [name, properties, message, type] of cases) {
    test(name, () => assert.match(problemsOf({ ...withField(TITLE), ...properties }, type), message));
  }
  test('a definition that is not an object', () => {
    for (const json of [null, undefined, [], 'Book', 7]) problemsOf(json);
  });
});

test('known forms of autoname are accepted', () => {
  const series = { fieldname: 'naming_series', fieldtype: 'Select', options: 'B-.####' };
  const forms = [
    '',
    'hash',
    'Random',
    'Prompt',
    'field:title',
    'naming_series:',
    'format:B-{title}-{###}',
    'B-.YYYY.-.####',
  ];
  for (const autoname of forms)
    assert.equal(parseDoctype({ ...withField(TITLE, series), autoname }).autoname, autoname);
});

describe('permissions', () => {
  const parse = (...permissions: readonly object[]) =>
    parseDoctype({ ...withField(TITLE), is_submittable: 1, permissions }).permissions;
  const problems = (...permissions: readonly object[]) =>
    problemsOf({ ...withField(TITLE), is_submittable: 1, permissions });

  test('an absent right is not granted', () => {
    assert.deepEqual(
      [...(parse({ role: 'All', read: 1, write: '1', create: true, delete: 0 })[0]?.rights ?? [])],
      ['read', 'write', 'create'],
    );
  });
  test('a row that names no right grants none', () => {
    for (const row of [{}, { read: 0 }, { raed: 1 }, { permlevel: 1 }, { if_owner: 1 }]) {
      assert.equal(parse({ role: 'All', ...row })[0]?.rights.size, 0, JSON.stringify(row));
    }
  });
  test('a right requires the rights it builds on', () => {
    assert.match(problems({ role: 'All', submit: 1 }), /submit needs write/);
    assert.match(problems({ role: 'All', write: 1, cancel: 1 }), /cancel needs submit/);
    assert.match(problems({ role: 'All', create: 1, amend: 1 }), /amend needs write/);
    assert.match(problems({ role: 'All', write: 1, submit: 1, amend: 1 }), /amend needs create/);
  });
  test('amend does not need cancel', () => {
    const [row] = parse({ role: 'All', write: 1, create: 1, amend: 1 });
    assert.deepEqual([...(row?.rights ?? [])], ['write', 'create', 'amend']);
  });
  test('one row per role, level and ownership', () => {
    assert.match(problems({ role: 'All', read: 1 }, { role: 'All', write: 1 }), /two permission rows/);
    assert.equal(parse({ role: 'All', read: 1 }, { role: 'All', write: 1, if_owner: 1 }).length, 2);
  });
  test('a row needs a role', () => assert.match(problems({ read: 1 }), /role is required/));
  test('submit is only for submittable doctypes', () => {
    const json = { ...withField(TITLE), permissions: [{ role: 'All', write: 1, submit: 1 }] };
    assert.match(problemsOf(json), /submittable/);
  });
});

test('all problems are reported at once', () => {
  const messages = problemsOf(
    { name: '1', autoname: '?', fields: [{ fieldname: '?' }, { fieldtype: '?' }] },
    'NameError',
  );
  assert.ok(messages.split('\n').length >= 4, messages);
});

test('keys such as __proto__ are plain data', () => {
  const json = JSON.parse(
    '{"name": "Book", "__proto__": {"istable": 1}, "fields": [{"fieldname": "a", "__proto__": {"reqd": 1}}]}',
  );
  const book = parseDoctype(json);
  assert.equal(book.istable, false);
  assert.equal(book.fields[0]?.reqd, false);
});

describe('references', () => {
  const child = parseDoctype({ name: 'Page', istable: 1, fields: [TITLE] });
  const find = (name: string): DocType | undefined => (name === 'Page' ? child : undefined);
  const check = (field: object) =>
    checkReferences(parseDoctype(withField({ fieldname: 'a', ...field })), find);
  test('to itself and to existing doctypes are accepted', () => {
    check({ fieldtype: 'Link', options: 'Book' });
    check({ fieldtype: 'Table', options: 'Page' });
  });
  test('to missing doctypes or the wrong kind are refused', () => {
    assert.throws(() => check({ fieldtype: 'Link', options: 'Shelf' }), {
      type: 'WrongOptionsDoctypeLinkError',
      message: /no DocType Shelf/,
    });
    assert.throws(() => check({ fieldtype: 'Link', options: 'Page' }), /child table/);
    assert.throws(() => check({ fieldtype: 'Table', options: 'Book' }), /not a child table/);
  });
});

test('the built-in definitions are valid', () => {
  const folders = [
    new URL('../standard/doctypes/', import.meta.url),
    new URL('../../apps/crm/doctypes/', import.meta.url),
  ];
  const doctypes = folders.flatMap((folder) =>
    readdirSync(folder).map((file) => parseDoctype(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))),
  );
  const registry = buildRegistry(doctypes, 1);
  for (const doctype of doctypes) checkReferences(doctype, registry.find);
  assert.ok(registry.all().length >= 18);
});
