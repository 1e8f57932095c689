import { ServiceError } from '../kernel/errors.ts';
import { type Expression, parseDependsOn } from '../kernel/expression/expression.ts';
import { FORM, PLAIN } from '../kernel/expression/vocabulary.ts';
import { memo } from '../kernel/memo.ts';
import type { Definition } from './definition.ts';
import { deriveFields } from './derive-fields.ts';
import type { DocField, DocType } from './doctype.ts';
import { RESTRICTED_FIELDNAMES } from './standard-fields.ts';

/** The condition under which the server requires the field, besides `reqd`; null for never. */
export function mandatoryCondition(field: DocField): Expression | null {
  return field.enforce_on_server ? conditionOf(field) : null;
}

/** True when values from clients for the field are ignored. */
export function isSetByServer(field: DocField): boolean {
  return field.read_only && field.enforce_on_server;
}

const conditionOf = memo((field: DocField): Expression | null =>
  field.mandatory_depends_on === ''
    ? null
    : parseDependsOn(field.mandatory_depends_on, field.enforce_on_server ? PLAIN : FORM),
);

/**
 * The fields without their oddities about other fields of the doctype: in `mandatory_depends_on`,
 * `fetch_from`, `on_delete`, the options of Dynamic Links, and tables in child tables.
 */
export function cureFieldRules(
  fields: readonly DocField[],
  kind: Kind,
  definition: Definition,
): readonly DocField[] {
  const { name, istable } = kind;
  const { fieldByName, columnByName } = deriveFields(fields, kind);
  const hasTable = istable && fields.some(isTable);
  if (hasTable) definition.odd('a child table cannot hold child tables', 'they are left out');
  return fields.flatMap((field) => {
    if (hasTable && isTable(field)) return [];
    const cures: Partial<DocField>[] = [];
    const odd = (problem: string | null, effect: string, cure: Partial<DocField>) => {
      if (problem === null) return;
      definition.odd(`Field ${field.fieldname}: ${problem}`, effect);
      cures.push(cure);
    };
    const mandatory = mandatoryProblem(field, fieldByName, istable);
    // A rule that the server enforces is never dropped.
    if (mandatory !== null && field.enforce_on_server) {
      definition.refuse(`Field ${field.fieldname}: ${mandatory}`);
    } else odd(mandatory, 'it is ignored', { mandatory_depends_on: '' });
    for (const [property, effect] of FORM_RULES) {
      const problem = formProblem(field[property]);
      if (problem === null) continue;
      definition.note(`Field ${field.fieldname}: ${property}: ${problem}; ${effect}`);
    }
    odd(onDeleteProblem(field, kind), 'block applies', { on_delete: 'block' });
    odd(fetchProblem(field, fieldByName, name), 'nothing is fetched', { fetch_from: '' });
    const isDynamic = field.fieldtype === 'Dynamic Link' && columnByName.has(field.fieldname);
    const isStray = isDynamic && !columnByName.has(field.options);
    const stray = isStray ? 'options must name the field that holds the doctype' : null;
    odd(stray, 'it holds text', { fieldtype: 'Data', options: '' });
    return cures.length === 0 ? [field] : [Object.freeze(Object.assign({}, field, ...cures) as DocField)];
  });
}

type Kind = Pick<DocType, 'name' | 'istable' | 'issingle' | 'is_virtual' | 'autoname'>;

function isTable({ fieldtype }: DocField): boolean {
  return fieldtype === 'Table' || fieldtype === 'Table MultiSelect';
}

type FieldsByName = ReadonlyMap<string, DocField>;

/** Rules that only forms apply, and the state of a field whose rule is not understood. */
const FORM_RULES = [
  ['depends_on', 'the field is shown'],
  ['read_only_depends_on', 'the field can be changed'],
] as const;

function formProblem(source: string): string | null {
  if (source === '') return null;
  try {
    parseDependsOn(source, FORM);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}

function mandatoryProblem(field: DocField, byName: FieldsByName, istable: boolean): string | null {
  try {
    const condition = conditionOf(field);
    if (!condition) return null;
    const unknown = condition.fields.find((fieldname) => !isKnown(byName, fieldname));
    if (unknown !== undefined) return `mandatory_depends_on: there is no field ${unknown.slice(0, 100)}`;
    return condition.usesParent && !istable ? 'mandatory_depends_on: only rows have a parent' : null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `mandatory_depends_on: ${error.message}`;
  }
}

function isKnown(byName: FieldsByName, fieldname: string): boolean {
  return byName.has(fieldname) || RESTRICTED_FIELDNAMES.has(fieldname) || LOCAL.has(fieldname);
}

/** Keys that Frappe's forms add to an unsaved document. */
const LOCAL: ReadonlySet<string> = new Set(['__islocal', '__unsaved']);

function onDeleteProblem(field: DocField, { istable, issingle }: Kind): string | null {
  const { on_delete, fieldtype } = field;
  if (on_delete === 'block') return null;
  if (fieldtype !== 'Link' && fieldtype !== 'Dynamic Link') return `a ${fieldtype} has no on_delete`;
  if (on_delete === 'cascade') {
    return issingle && !istable ? 'on_delete: a single cannot be deleted' : null;
  }
  if (field.reqd) return 'on_delete: a mandatory field cannot be emptied';
  const isConstant = field.set_only_once || field.fieldname === 'amended_from';
  return isConstant ? 'on_delete: a field that cannot change cannot be emptied' : null;
}

function fetchProblem({ fetch_from }: DocField, byName: FieldsByName, doctypeName: string): string | null {
  const linkName = fetch_from.split('.', 1)[0] ?? '';
  const type = byName.get(linkName)?.fieldtype;
  if (fetch_from === '' || type === 'Link' || type === 'Dynamic Link') return null;
  return `fetch_from: ${linkName} is not a Link field of ${doctypeName}`;
}
