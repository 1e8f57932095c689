import { ServiceError } from '../kernel/errors.ts';
import { type Expression, parseDependsOn } from '../kernel/expression/expression.ts';
import { memo } from '../kernel/memo.ts';
import type { Definition } from './definition.ts';
import type { DocField, DocType } from './doctype.ts';
import { RESTRICTED_FIELDNAMES } from './standard-fields.ts';

/**
 * The condition under which the field is mandatory, besides `reqd`; null for never.
 * @throws ServiceError ValidationError for an expression that cannot be evaluated. New definitions cannot
 * contain one. With an old one no document can be saved, because the save might break the rule.
 */
export const mandatoryCondition = memo((field: DocField): Expression | null =>
  field.mandatory_depends_on === '' ? null : parseCondition(field),
);

function parseCondition(field: DocField): Expression {
  try {
    return parseDependsOn(field.mandatory_depends_on);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(
      error.type,
      `Field ${field.fieldname}: mandatory_depends_on: ${error.message}`,
      error.details,
    );
  }
}

/** Checks a field's rules about other fields of its doctype: `mandatory_depends_on` and `fetch_from`. */
export function checkFieldRules(doctype: DocType, definition: Definition): void {
  for (const field of doctype.fields) {
    const problem = mandatoryProblem(doctype, field) ?? fetchProblem(doctype, field);
    if (problem !== null) definition.refuse(problem);
  }
}

function mandatoryProblem(doctype: DocType, field: DocField): string | null {
  try {
    const condition = mandatoryCondition(field);
    if (!condition) return null;
    const unknown = condition.fields.find((fieldname) => !isKnown(doctype, fieldname));
    const place = `Field ${field.fieldname}: mandatory_depends_on:`;
    if (unknown !== undefined) return `${place} there is no field ${unknown.slice(0, 100)}`;
    if (condition.usesParent && !doctype.istable) return `${place} only rows have a parent`;
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

function isKnown(doctype: DocType, fieldname: string): boolean {
  return doctype.fieldByName.has(fieldname) || RESTRICTED_FIELDNAMES.has(fieldname) || LOCAL.has(fieldname);
}

/** Keys that Frappe's forms add to an unsaved document. */
const LOCAL: ReadonlySet<string> = new Set(['__islocal', '__unsaved']);

function fetchProblem(doctype: DocType, field: DocField): string | null {
  const [, linkName] = /^(\w+)\.\w+$/.exec(field.fetch_from) ?? [];
  if (linkName === undefined) return null;
  const link = doctype.fieldByName.get(linkName);
  if (link?.fieldtype === 'Link' || link?.fieldtype === 'Dynamic Link') return null;
  return `Field ${field.fieldname}: fetch_from: ${linkName} is not a Link field of ${doctype.name}`;
}
