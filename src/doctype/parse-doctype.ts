import { type ErrorType, ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import { checkLayout, parseSortOrder } from './check-layout.ts';
import { checkIndexes, parseIndexes } from './composite-indexes.ts';
import { Definition, Problems, type Tolerance } from './definition.ts';
import { deriveFields } from './derive-fields.ts';
import type { DocField, DocPerm, DocType } from './doctype.ts';
import { cureFieldRules } from './field-rules.ts';
import { FIELDTYPES } from './fieldtypes/fieldtypes.ts';
import { isLayout, parseField } from './parse-field.ts';
import { checkPermissionsUnique, parsePermission } from './parse-permission.ts';
import { checkTree, levelOldParent, parentFieldOf, treeFields, withoutNumbers } from './tree.ts';

/** The greatest number of `permissions` rows: more than any site has roles. */
const MOST_PERMISSIONS = 200;

/**
 * Parses and freezes a doctype's definition: Frappe's DocType JSON, from a file, a request or the DocType
 * document. Ignores unknown keys. `app` names the app of the file; default: the definition's own value.
 * `tolerates` decides which oddities become notes; by default all are problems.
 * @throws ServiceError as `Problems.throwAny`
 */
export function parseDoctype(json: unknown, app?: string, tolerates?: Tolerance): DocType {
  if (!isRecord(json)) throw new ServiceError('ValidationError', 'A DocType must be an object');
  const problems = new Problems(tolerates);
  const doctype = readDoctype(json, app, problems);
  problems.throwAny();
  return doctype;
}

function readDoctype(json: Record<string, unknown>, app: string | undefined, problems: Problems): DocType {
  const unnamed = new Definition(json, problems, 'DocType');
  const name = readName(unnamed);
  const definition = unnamed.titled(`DocType ${name}`);
  const istable = definition.flag('istable');
  const issingle = definition.flag('issingle');
  const is_submittable = isSubmittable(definition, istable, issingle);
  const is_virtual = definition.flag('is_virtual');
  const is_tree = definition.flag('is_tree');
  const nsm_parent_field = is_tree ? parentFieldOf(definition, name) : '';
  const parsed = parseFields(definition, problems, is_tree, [
    ...(is_submittable ? [{ ...AMENDED_FROM, options: name }] : []),
    ...(is_tree ? treeFields(name, nsm_parent_field) : []),
  ]);
  const autoname = definition.text('autoname');
  const kind = { name, istable, issingle, is_virtual, autoname };
  const cured = cureFieldRules(parsed, kind, definition);
  const fields = is_tree ? levelOldParent(cured, nsm_parent_field) : cured;
  const permissions = parsePermissions(definition, problems, { istable, is_submittable });
  const doctype = {
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
    autoname,
    title_field: definition.text('title_field'),
    search_fields: definition.text('search_fields'),
    ...parseSortOrder(definition),
    indexes: parseIndexes(definition),
    track_changes: definition.flag('track_changes'),
    allow_rename: definition.flag('allow_rename'),
    max_attachments: definition.count('max_attachments', 1_000_000),
    // For user interfaces: any other value is kept, as in Frappe, and ignored.
    icon: typeof json['icon'] === 'string' ? json['icon'] : '',
    default_print_format:
      typeof json['default_print_format'] === 'string' ? json['default_print_format'] : '',
    permissions,
    ...deriveFields(fields, kind),
    rowsFrom: rowsFrom(name, is_virtual, app),
    notes: [],
  };
  const cures = cureWhole(doctype, definition);
  checkTree(doctype, definition);
  const notes = problems.notes.map((message) => Object.freeze({ doctype: name, message }));
  return Object.freeze({ ...doctype, ...cures, notes: Object.freeze(notes) });
}

function isSubmittable(definition: Definition, istable: boolean, issingle: boolean): boolean {
  if (!definition.flag('is_submittable')) return false;
  if (istable) definition.odd('a child table cannot be submittable', 'is_submittable is ignored');
  if (issingle) definition.odd('a single cannot be submittable', 'is_submittable is ignored');
  return !istable && !issingle;
}

/** Names of Object.prototype (a doctype's name may become a key), and prefixes that belong to the engines. */
const RESERVED_NAMES = new Set(
  Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
);
const RESERVED_PREFIXES = /^(?:sqlite_|pg_)/i;

function readName(definition: Definition): string {
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
  if (problem !== '') definition.refuse(problem, 'NameError');
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
  // Ignores case: SQLite takes `Title` and `title` for one column.
  const fields = new Map<string, DocField>();
  const rows = definition.rows('fields', LIMITS.fieldsPerDoctype);
  for (const [index, given] of rows.entries()) {
    const row = isTree ? withoutNumbers(given) : given;
    const isPlace = row['fieldname'] === 'parent' && definition.text('name') === 'Custom DocPerm';
    const field = parseField(new Definition(row, problems, `Field in row ${index + 1}`), index + 1, isPlace);
    if (!field) continue;
    const key = field.fieldname.toLowerCase();
    const first = fields.get(key);
    if (first) {
      const problem = `fieldname ${field.fieldname} appears more than once`;
      definition.odd(problem, 'the first field with a value counts', 'UniqueFieldnameError');
    }
    if (!first || (arranges(first) && !arranges(field))) fields.set(key, field);
  }
  for (const [index, row] of added.entries()) {
    const key = String(row['fieldname']).toLowerCase();
    if (fields.has(key)) continue;
    const place = rows.length + index + 1;
    const field = parseField(new Definition(row, problems, `Field ${row['fieldname']}`), place);
    if (field) fields.set(key, field);
  }
  return [...fields.values()];
}

function arranges({ fieldtype }: DocField): boolean {
  const found = FIELDTYPES.get(fieldtype);
  return found !== undefined && isLayout(found);
}

const AMENDED_FROM = {
  fieldname: 'amended_from',
  label: 'Amended From',
  fieldtype: 'Link',
  read_only: 1,
  enforce_on_server: 1,
  no_copy: 1,
};

function parsePermissions(
  definition: Definition,
  problems: Problems,
  { istable, is_submittable }: Pick<DocType, 'istable' | 'is_submittable'>,
): readonly DocPerm[] {
  const permissions: DocPerm[] = [];
  const rows = definition.rows('permissions', MOST_PERMISSIONS);
  if (istable && rows.length > 0) {
    definition.odd('a child table has the permissions of its parent', 'its own are ignored');
    return Object.freeze(permissions);
  }
  for (const [index, row] of rows.entries()) {
    const title = `Permission in row ${index + 1}`;
    const permission = parsePermission(new Definition(row, problems, title), is_submittable);
    if (permission) permissions.push(permission);
  }
  checkPermissionsUnique(permissions, definition);
  return Object.freeze(permissions);
}

function cureWhole(doctype: DocType, definition: Definition): Partial<DocType> {
  const isColumn = (fieldname: string) => doctype.columnByName.has(fieldname);
  const cures: Partial<DocType>[] = [];
  const odd = (problem: string, effect: string, cure: Partial<DocType>, type?: ErrorType) => {
    definition.odd(problem, effect, type);
    cures.push(cure);
  };
  if (doctype.istable && doctype.issingle) definition.refuse('cannot be both a child table and a single');
  const problem = namingProblem(doctype);
  if (problem !== null) odd(problem, 'documents get random names', { autoname: '' });
  checkIndexes(doctype, definition);
  checkLayout(doctype, definition);
  const { sort_field, title_field } = doctype;
  if (!isColumn(sort_field)) {
    const effect = 'lists are ordered by modified';
    const problem = `sort_field ${sort_field} is not a field of the doctype`;
    odd(problem, effect, { sort_field: 'modified' }, 'InvalidFieldNameError');
  }
  if (title_field !== '' && !isColumn(title_field)) {
    const problem = `title_field ${title_field} is not a field of the doctype`;
    odd(problem, 'it is ignored', { title_field: '' }, 'InvalidFieldNameError');
  }
  const searched = doctype.search_fields.split(',').map((part) => part.trim());
  for (const unknown of searched.filter((part) => part !== '' && !isColumn(part))) {
    odd(`search_fields: ${unknown} is not a field of the doctype`, 'it is ignored', {
      search_fields: searched.filter(isColumn).join(', '),
    });
  }
  return Object.assign({}, ...cures);
}

const NAMING_WORDS = new Set(['', 'hash', 'random', 'prompt', 'prompt_or_hash', 'autoincrement', 'uuid']);

function namingProblem({ autoname, columnByName }: DocType): string | null {
  const lower = autoname.toLowerCase();
  if (NAMING_WORDS.has(lower)) return null;
  if (autoname.startsWith('field:')) {
    const column = columnByName.get(autoname.slice('field:'.length).trim());
    return column?.field && column.kind === 'text' ? null : 'autoname: field: must name a text field';
  }
  if (lower.startsWith('naming_series:')) {
    return columnByName.has('naming_series') ? null : 'autoname naming_series: needs a field naming_series';
  }
  if (autoname.startsWith('format:')) {
    return autoname.length === 'format:'.length ? 'autoname format: needs a pattern' : null;
  }
  return /^[\w\- /.#{}]+$/.test(autoname) && autoname.includes('#')
    ? null
    : `autoname ${JSON.stringify(autoname.slice(0, 100))} is not a known form`;
}
