import { type ErrorType, ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Definition } from './definition.ts';
import type { DocField, OnDelete } from './doctype.ts';
import type { FieldType } from './fieldtypes/fieldtype.ts';
import { FIELDTYPES } from './fieldtypes/fieldtypes.ts';
import { RESTRICTED_FIELDNAMES, SYSTEM_COLUMNS } from './standard-fields.ts';

/**
 * The greatest `length` of a text field; PostgreSQL's limit on index entries bounds an indexed one further.
 */
const LONGEST = 1_000;
const LONGEST_INDEXED = 600;

/**
 * A field of a definition, or null with its problems added when it cannot be a field. `position` counts from
 * 1 and names layout fields without a name. `isPlace` allows the names of the columns that place a row.
 */
export function parseField(definition: Definition, position: number, isPlace = false): DocField | null {
  const fieldtypeName = definition.text('fieldtype') || 'Data';
  const fieldname = isPlace ? definition.text('fieldname') : fieldnameOf(definition, fieldtypeName, position);
  const named = definition.titled(`Field ${fieldname ?? `in row ${position}`}`);
  const fieldtype = FIELDTYPES.get(fieldtypeName);
  if (!fieldtype) named.refuse(`there is no fieldtype ${JSON.stringify(fieldtypeName.slice(0, 100))}`);
  if (fieldname === null || !fieldtype) return null;

  const field: DocField = {
    fieldname,
    idx: position,
    label: named.text('label') || labelFrom(fieldname, fieldtype),
    fieldtype: fieldtypeName,
    options: fieldtypeName === 'Select' ? named.lines('options') : named.text('options'),
    default: named.text('default') || null,
    reqd: named.flag('reqd'),
    unique: named.flag('unique'),
    read_only: named.flag('read_only'),
    enforce_on_server: named.flag('enforce_on_server'),
    hidden: named.flag('hidden'),
    set_only_once: named.flag('set_only_once'),
    allow_on_submit: named.flag('allow_on_submit'),
    no_copy: named.flag('no_copy'),
    non_negative: named.flag('non_negative'),
    search_index: named.flag('search_index'),
    in_list_view: named.flag('in_list_view'),
    in_global_search: named.flag('in_global_search'),
    print_hide: named.flag('print_hide'),
    is_virtual: named.flag('is_virtual'),
    ignore_xss_filter: named.flag('ignore_xss_filter'),
    ignore_user_permissions: named.flag('ignore_user_permissions'),
    on_delete: onDeleteOf(named),
    fetch_if_empty: named.flag('fetch_if_empty'),
    fetch_from: named.text('fetch_from'),
    depends_on: named.text('depends_on'),
    mandatory_depends_on: named.text('mandatory_depends_on'),
    read_only_depends_on: named.text('read_only_depends_on'),
    length: named.count('length', LONGEST, true),
    precision: named.count('precision', 9),
    permlevel: named.count('permlevel', 9),
    description: named.text('description'),
  };
  const sound = { ...field, ...cureField(field, fieldtype, named) };
  const isTable = fieldtypeName === 'Table' || fieldtypeName === 'Table MultiSelect';
  return isTable && sound.options === '' ? null : Object.freeze(sound);
}

function onDeleteOf(definition: Definition): OnDelete {
  const given = definition.text('on_delete') || 'block';
  if (given === 'block' || given === 'empty' || given === 'cascade') return given;
  definition.refuse('on_delete must be block, empty or cascade');
  return 'block';
}

function fieldnameOf(definition: Definition, fieldtype: string, position: number): string | null {
  const given = definition.text('fieldname');
  if (given !== '') return isUsable(given, definition) ? given : null;
  const derived = scrub(definition.text('label')) || layoutName(fieldtype, position);
  if (derived === '' || !/^[a-z]/.test(derived)) {
    definition.refuse('needs a fieldname, or a label to derive it from');
    return null;
  }
  const free = isRestricted(derived) ? `${derived}1` : derived;
  return isUsable(free, definition) ? free : null;
}

/** `Due Date` becomes `due_date`; characters that no fieldname has are dropped. */
function scrub(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replaceAll(/[^a-z0-9_]/g, '')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .slice(0, LIMITS.fieldnameLength - 1);
}

function layoutName(fieldtype: string, position: number): string {
  return FIELDTYPES.get(fieldtype)?.column === null ? `${scrub(fieldtype)}_${position}` : '';
}

// A document is a plain object, so a field with the name of an inherited property would always seem to be
// set.
function isRestricted(fieldname: string): boolean {
  return RESTRICTED_FIELDNAMES.has(fieldname.toLowerCase()) || fieldname in Object.prototype;
}

function isUsable(fieldname: string, definition: Definition): boolean {
  const shown = JSON.stringify(fieldname.slice(0, 100));
  const named = definition.titled(`Field ${fieldname.slice(0, 100)}`);
  const wanted = `fieldname ${shown} must be letters, digits and _, beginning with a letter`;
  if (!/^[A-Za-z0-9_]+$/.test(fieldname)) {
    definition.refuse(wanted, 'InvalidColumnName');
  } else if (fieldname.length > LIMITS.fieldnameLength) {
    definition.refuse(`fieldname ${shown} is longer than ${LIMITS.fieldnameLength} characters`);
  } else if (SYSTEM_COLUMNS.has(fieldname.toLowerCase()) || fieldname.startsWith('__')) {
    named.odd(wanted, 'the field is left out');
  } else if (isRestricted(fieldname)) {
    named.odd(`fieldname ${shown} is restricted`, 'the field is left out', 'InvalidFieldNameError');
  } else {
    if (!/^[A-Za-z]/.test(fieldname)) named.odd(wanted, 'the field works, but no expression can name it');
    return true;
  }
  return false;
}

/** `due_date` becomes `Due Date`; layout fields get no label by default. */
function labelFrom(fieldname: string, fieldtype: FieldType): string {
  if (isLayout(fieldtype)) return '';
  return fieldname
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
    .trim();
}

const TARGETED = new Set(['Link', 'Dynamic Link', 'Table', 'Table MultiSelect']);

/** True for a fieldtype that arranges a form and has no value. */
export function isLayout(fieldtype: FieldType): boolean {
  return fieldtype.column === null && !TARGETED.has(fieldtype.name);
}

// Each oddity of a field has its cure beside it, so that a field with notes does what they say.
function cureField(field: DocField, fieldtype: FieldType, definition: Definition): Partial<DocField> {
  const { fieldtype: type } = field;
  const cures: Partial<DocField>[] = [];
  const odd = (problem: string, effect: string, cure: Partial<DocField>, type?: ErrorType) => {
    definition.odd(problem, effect, type);
    cures.push(cure);
  };
  if (TARGETED.has(type) && field.options === '') {
    const isLink = type === 'Link' || type === 'Dynamic Link';
    const effect = isLink ? 'it holds text' : 'the field is left out';
    const problemType = type === 'Dynamic Link' ? undefined : 'DoctypeLinkError';
    odd(`options are required for ${type}`, effect, isLink ? { fieldtype: 'Data' } : {}, problemType);
  }
  if (field.reqd && isLayout(fieldtype))
    odd(`a ${type} cannot be mandatory`, 'reqd is ignored', { reqd: false });
  if (field.unique && !fieldtype.allowsUnique) {
    odd(`a ${type} cannot be unique`, 'unique is ignored', { unique: false }, 'NonUniqueError');
  }
  if (field.search_index && (fieldtype.column === null || isLongText(fieldtype))) {
    odd(`a ${type} cannot be indexed`, 'search_index is ignored', { search_index: false });
  }
  if ((field.unique || field.search_index) && fieldtype.allowsUnique && field.length > LONGEST_INDEXED) {
    const problem = `length of an indexed field can be at most ${LONGEST_INDEXED}`;
    odd(problem, `${LONGEST_INDEXED} applies`, { length: LONGEST_INDEXED });
  }
  if (field.hidden && field.reqd && field.default === null) {
    const problem = 'a field that is hidden and mandatory needs a default';
    odd(problem, 'only clients can set it', {}, 'HiddenAndMandatoryWithoutDefaultError');
  }
  if (field.fetch_from !== '' && !/^\w+\.\w+$/.test(field.fetch_from)) {
    odd('fetch_from must be link_field.source_field', 'nothing is fetched', { fetch_from: '' });
  }
  const problem = defaultProblem(Object.assign({}, field, ...cures), fieldtype);
  if (problem !== null) odd(`default: ${problem}`, 'it has no default', { default: null });
  return Object.assign({}, ...cures);
}

function isLongText(fieldtype: FieldType): boolean {
  return fieldtype.column === 'text' && !fieldtype.allowsUnique;
}

/**
 * `:Company`, the user's default document of another doctype. It is recognised but not supported, so it is no
 * default.
 */
export function isReferredDefault(field: DocField): boolean {
  return field.fieldtype === 'Link' && field.default !== null && field.default.startsWith(':');
}

// An invalid default would make every later creation of a document fail.
function defaultProblem(field: DocField, fieldtype: FieldType): string | null {
  if (field.default === null || fieldtype.column === null || isReferredDefault(field)) return null;
  const keyword = field.default.toLowerCase();
  if (keyword === '__user') return null;
  if (keyword === 'now' && ['date', 'datetime', 'time'].includes(fieldtype.column)) return null;
  if (keyword === 'today' && ['date', 'datetime'].includes(fieldtype.column)) return null;
  try {
    fieldtype.coerce(field.default, field);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}
