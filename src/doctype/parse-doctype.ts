import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import { checkLayout, parseSortOrder } from './check-layout.ts';
import { checkIndexes, parseIndexes } from './composite-indexes.ts';
import { Definition, Problems } from './definition.ts';
import type { DocColumn, DocField, DocPerm, DocType } from './doctype.ts';
import { checkFieldRules } from './field-rules.ts';
import { fieldtypeOf } from './fieldtypes/fieldtypes.ts';
import { parseField } from './parse-field.ts';
import { checkPermissionsUnique, parsePermission } from './parse-permission.ts';
import { CHILD_COLUMNS, STANDARD_COLUMNS, sideColumnsOf } from './standard-fields.ts';
import { checkTree, parentFieldOf, treeFields, withoutNumbers } from './tree.ts';

/** The greatest number of `permissions` rows: more than any site has roles. */
const MOST_PERMISSIONS = 200;

/**
 * Parses and freezes a doctype's definition: Frappe's DocType JSON, from a file, a request or the DocType
 * document. Ignores unknown keys. `app` names the app of the file; default: the definition's own value.
 * @throws ServiceError ValidationError, or NameError when the doctype's own name is invalid, with every
 * problem in `details.messages`
 */
export function parseDoctype(json: unknown, app?: string): DocType {
  if (!isRecord(json)) throw new ServiceError('ValidationError', 'A DocType must be an object');
  const problems = new Problems();
  const doctype = readDoctype(json, app, problems);
  const [first, ...others] = problems.messages;
  if (first !== undefined) {
    const message = others.length === 0 ? first : `${first} (and ${others.length} more)`;
    const type = problems.name ? 'NameError' : 'ValidationError';
    throw new ServiceError(type, message, { messages: problems.messages });
  }
  return doctype;
}

function readDoctype(json: Record<string, unknown>, app: string | undefined, problems: Problems): DocType {
  const unnamed = new Definition(json, problems, 'DocType');
  const name = readName(unnamed, problems);
  const definition = unnamed.titled(`DocType ${name}`);
  const istable = definition.flag('istable');
  const is_submittable = definition.flag('is_submittable');
  const issingle = definition.flag('issingle');
  const is_virtual = definition.flag('is_virtual');
  const is_tree = definition.flag('is_tree');
  const nsm_parent_field = is_tree ? parentFieldOf(definition, name) : '';
  const fields = parseFields(definition, problems, is_tree, [
    ...(is_submittable && !istable ? [{ ...AMENDED_FROM, options: name }] : []),
    ...(is_tree ? treeFields(name, nsm_parent_field) : []),
  ]);
  const permissions = parsePermissions(definition, problems, is_submittable);
  const columns = columnsOf(fields, istable, is_virtual);
  const side = sideColumnsOf({ istable, issingle, is_virtual });
  const stored = fields.filter((field) => is_virtual || !field.is_virtual);
  const ofType = (...types: readonly string[]) =>
    Object.freeze(stored.filter((field) => types.includes(field.fieldtype)));

  const doctype: DocType = Object.freeze({
    name,
    module: definition.text('module'),
    app: app ?? definition.text('app'),
    custom: definition.flag('custom'),
    istable,
    issingle,
    is_submittable,
    is_virtual,
    is_tree,
    nsm_parent_field,
    autoname: definition.text('autoname'),
    title_field: definition.text('title_field'),
    search_fields: definition.text('search_fields'),
    ...parseSortOrder(definition),
    indexes: parseIndexes(definition),
    track_changes: definition.flag('track_changes'),
    allow_rename: definition.flag('allow_rename'),
    max_attachments: definition.count('max_attachments', 1_000_000),
    fields,
    permissions,
    fieldByName: new Map(fields.map((field) => [field.fieldname, field])),
    columns,
    columnByName: new Map([...columns, ...side].map((column) => [column.fieldname, column])),
    tables: ofType('Table', 'Table MultiSelect'),
    links: ofType('Link'),
    dynamicLinks: ofType('Dynamic Link'),
    rowsFrom: rowsFrom(name, is_virtual, app),
  });
  checkWhole(doctype, definition);
  checkTree(doctype, definition);
  return doctype;
}

/** Names of Object.prototype (a doctype's name may become a key), and prefixes that belong to the engines. */
const RESERVED_NAMES = new Set(
  Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
);
const RESERVED_PREFIXES = /^(?:sqlite_|pg_)/i;

function readName(definition: Definition, problems: Problems): string {
  const name = definition.text('name');
  const shown = JSON.stringify(name.slice(0, 100));
  let problem = '';
  if (name === '') problem = 'name is required';
  else if (!/^[A-Za-z][A-Za-z0-9 _-]*$/.test(name)) {
    problem = `name ${shown} must be letters, digits, spaces, _ and -, beginning with a letter`;
  } else if (name.length > LIMITS.doctypeNameLength) {
    problem = `name ${shown} is longer than ${LIMITS.doctypeNameLength} characters`;
  } else if (RESERVED_NAMES.has(name.toLowerCase()) || RESERVED_PREFIXES.test(name)) {
    problem = `name ${shown} is reserved`;
  }
  if (problem !== '') {
    definition.refuse(problem);
    problems.name = true;
  }
  return name;
}

/** The system tables supply the views, so only built-in doctypes have one. */
function rowsFrom(name: string, isVirtual: boolean, app: string | undefined): DocType['rowsFrom'] {
  if (!isVirtual) return 'table';
  return app === 'standard' && !SERVED.has(name) ? 'view' : 'controller';
}

/** Built-in virtual doctypes that can be written, by their controllers. */
const SERVED: ReadonlySet<string> = new Set(['API Key']);

/** `added` are the fields that every doctype of this kind has, even when the definition omits them. */
function parseFields(
  definition: Definition,
  problems: Problems,
  isTree: boolean,
  added: readonly Readonly<Record<string, unknown>>[],
): readonly DocField[] {
  const fields: DocField[] = [];
  // Ignores case: SQLite takes `Title` and `title` for one column.
  const seen = new Set<string>();
  for (const [index, given] of definition.rows('fields', LIMITS.fieldsPerDoctype).entries()) {
    const row = isTree ? withoutNumbers(given) : given;
    const isPlace = row['fieldname'] === 'parent' && definition.text('name') === 'Custom DocPerm';
    const field = parseField(new Definition(row, problems, `Field in row ${index + 1}`), index + 1, isPlace);
    if (!field) continue;
    if (seen.has(field.fieldname.toLowerCase())) {
      definition.refuse(`fieldname ${field.fieldname} appears more than once`);
    }
    seen.add(field.fieldname.toLowerCase());
    fields.push(field);
  }
  for (const row of added) {
    const { fieldname } = row;
    if (seen.has(String(fieldname).toLowerCase())) continue;
    const field = parseField(new Definition(row, problems, `Field ${fieldname}`), fields.length + 1);
    if (field) fields.push(field);
  }
  return Object.freeze(fields);
}

const AMENDED_FROM = {
  fieldname: 'amended_from',
  label: 'Amended From',
  fieldtype: 'Link',
  read_only: 1,
  no_copy: 1,
};

function parsePermissions(
  definition: Definition,
  problems: Problems,
  isSubmittable: boolean,
): readonly DocPerm[] {
  const permissions: DocPerm[] = [];
  for (const [index, row] of definition.rows('permissions', MOST_PERMISSIONS).entries()) {
    const title = `Permission in row ${index + 1}`;
    const permission = parsePermission(new Definition(row, problems, title), isSubmittable);
    if (permission) permissions.push(permission);
  }
  checkPermissionsUnique(permissions, definition);
  return Object.freeze(permissions);
}

function columnsOf(fields: readonly DocField[], istable: boolean, isVirtual: boolean): readonly DocColumn[] {
  const columns = [...(istable ? CHILD_COLUMNS : STANDARD_COLUMNS)];
  for (const field of fields) {
    const { column, empty } = fieldtypeOf(field);
    if (column === null || (field.is_virtual && !isVirtual)) continue;
    columns.push(Object.freeze({ fieldname: field.fieldname, kind: column, empty, field }));
  }
  return Object.freeze(columns);
}

function checkWhole(doctype: DocType, definition: Definition): void {
  if (doctype.istable) {
    if (doctype.issingle) definition.refuse('cannot be both a child table and a single');
    if (doctype.is_submittable) definition.refuse('a child table cannot be submittable');
    if (doctype.permissions.length > 0) definition.refuse('a child table has the permissions of its parent');
    if (doctype.tables.length > 0) definition.refuse('a child table cannot hold child tables');
  }
  if (doctype.issingle && doctype.is_submittable) definition.refuse('a single cannot be submittable');
  checkNaming(doctype, definition);
  checkIndexes(doctype, definition);
  checkLayout(doctype, definition);
  const isColumn = (fieldname: string) => doctype.columnByName.has(fieldname);
  if (!isColumn(doctype.sort_field)) {
    definition.refuse(`sort_field ${doctype.sort_field} is not a field of the doctype`);
  }
  if (doctype.title_field !== '' && !isColumn(doctype.title_field)) {
    definition.refuse(`title_field ${doctype.title_field} is not a field of the doctype`);
  }
  for (const searched of doctype.search_fields.split(',').map((part) => part.trim())) {
    if (searched !== '' && !isColumn(searched)) {
      definition.refuse(`search_fields: ${searched} is not a field of the doctype`);
    }
  }
  for (const field of doctype.dynamicLinks) {
    if (field.options !== '' && !isColumn(field.options)) {
      definition.refuse(`Field ${field.fieldname}: options must name the field that holds the doctype`);
    }
  }
}

function checkNaming(doctype: DocType, definition: Definition): void {
  const { autoname } = doctype;
  const lower = autoname.toLowerCase();
  if (['', 'hash', 'random', 'prompt', 'prompt_or_hash', 'autoincrement', 'uuid'].includes(lower)) return;
  if (autoname.startsWith('field:')) {
    const column = doctype.columnByName.get(autoname.slice('field:'.length).trim());
    if (!column?.field || column.kind !== 'text')
      definition.refuse('autoname: field: must name a text field');
  } else if (lower.startsWith('naming_series:')) {
    if (!doctype.columnByName.has('naming_series')) {
      definition.refuse('autoname naming_series: needs a field naming_series');
    }
  } else if (autoname.startsWith('format:')) {
    if (autoname.length === 'format:'.length) definition.refuse('autoname format: needs a pattern');
  } else if (!/^[\w\- /.#{}]+$/.test(autoname) || !autoname.includes('#')) {
    definition.refuse(`autoname ${JSON.stringify(autoname.slice(0, 100))} is not a known form`);
  }
}

/**
 * Checks that the references of the doctype's fields exist and are of the right kind, including those to its
 * own fields. `find` may know planned doctypes; it need not know the doctype itself.
 * @throws ServiceError ValidationError with every problem in `details.messages`
 */
export function checkReferences(doctype: DocType, find: (doctypeName: string) => DocType | undefined): void {
  const problems = new Problems();
  checkFieldRules(doctype, new Definition({}, problems, `DocType ${doctype.name}`));
  for (const field of [...doctype.links, ...doctype.tables]) {
    const target = field.options === doctype.name ? doctype : find(field.options);
    const definition = new Definition({}, problems, `Field ${field.fieldname}`);
    if (!target) definition.refuse(`there is no DocType ${field.options}`);
    else if (field.fieldtype === 'Link' && target.istable) {
      definition.refuse(`${field.options} is a child table and cannot be linked to`);
    } else if (field.fieldtype !== 'Link' && !target.istable) {
      definition.refuse(`${field.options} is not a child table`);
    } else if (field.fieldtype === 'Table MultiSelect' && target.links.length === 0) {
      definition.refuse(`${field.options} needs a Link field, which holds what is selected`);
    } else if (target.istable && target.rowsFrom === 'controller' && doctype.rowsFrom !== 'controller') {
      definition.refuse(`${field.options} is virtual and has no table`);
    }
  }
  const [first] = problems.messages;
  if (first !== undefined) {
    throw new ServiceError('ValidationError', first, { messages: problems.messages });
  }
}
