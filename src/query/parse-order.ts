import type { FieldSet } from '../access/field-level.ts';
import type { DocColumn, DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { aggregateText, resolveAggregate } from './aggregate.ts';
import { type FieldPath, isNullable, isSamePath, mayAlso, notPermitted, resolveField } from './field-path.ts';
import { checkShort, isAbsent } from './json-parameter.ts';
import type { ColumnTerm, OrderTerm, Selection, Value, ValueTerm } from './list-query.ts';
import { listedFields } from './listed-fields.ts';
import { resolveGroupKey } from './period.ts';
import type { QueryScope } from './query-scope.ts';
import { Remembered } from './remembered.ts';

const orders = new Remembered<readonly OrderTerm[]>();

/**
 * Parses the order of a list: by fields, fields behind links, and column names chosen by the request.
 * @throws ServiceError DataError for anything else
 */
export function parseOrder(
  doctype: DocType,
  wire: unknown,
  scope: QueryScope,
  selection: Selection,
): readonly OrderTerm[] {
  const text = orderText(wire);
  const readable = listedFields(scope, doctype);
  const make = () =>
    text === '' ? defaultOrder(doctype, readable) : givenOrder(doctype, text, scope, selection);
  return orders.get(doctype, readable, text, make, isLasting);
}

// Fields behind a link, and names chosen by the request, are valid for this request only.
function isLasting(terms: readonly OrderTerm[]): boolean {
  return terms.every(({ by }) => by === undefined);
}

/**
 * Parses the order of groups: by their keys and by aggregates, written out or by their names.
 * @throws ServiceError DataError for anything else
 */
export function parseGroupOrder(
  doctype: DocType,
  wire: unknown,
  scope: QueryScope,
  selection: Selection,
  groups: readonly FieldPath[],
): readonly OrderTerm[] {
  const text = orderText(wire);
  const terms = termTexts(text).map(({ name, direction }): ValueTerm => {
    const by = namedTerm(selection, name) ?? groupValue(doctype, name, scope);
    if (by.value === 'field' && !groups.some((group) => isSamePath(group, by.path))) throw notPermitted(name);
    return { by, direction };
  });
  const direction = terms.at(-1)?.direction ?? 'asc';
  const missing = groups.filter(
    (group) => !terms.some(({ by }) => by.value === 'field' && isSamePath(by.path, group)),
  );
  return [...terms, ...missing.map((path): ValueTerm => ({ by: { value: 'field', path }, direction }))];
}

function groupValue(doctype: DocType, text: string, scope: QueryScope): Value {
  const aggregate = aggregateText(text);
  return aggregate
    ? { value: 'aggregate', ...resolveAggregate(doctype, aggregate.call, scope) }
    : { value: 'field', path: resolveGroupKey(doctype, text, scope, 'order') };
}

function orderText(wire: unknown): string {
  checkShort('order_by', wire);
  if (!isAbsent(wire) && typeof wire !== 'string') throw notPermitted(JSON.stringify(wire) ?? 'undefined');
  return typeof wire === 'string' ? wire.trim() : '';
}

function termTexts(text: string): { readonly name: string; readonly direction: 'asc' | 'desc' }[] {
  if (text === '') return [];
  const texts = text.split(',');
  if (texts.length > LIMITS.orderTerms) {
    throw new ServiceError('ValidationError', `At most ${LIMITS.orderTerms} terms are allowed in order_by`);
  }
  return texts.map((part) => {
    const term = part.trim();
    const way = /\s(asc|desc)$/i.exec(term);
    const name = way ? term.slice(0, way.index).trimEnd() : term;
    return { name, direction: way?.[1]?.toLowerCase() === 'desc' ? 'desc' : 'asc' };
  });
}

function givenOrder(
  doctype: DocType,
  text: string,
  scope: QueryScope,
  selection: Selection,
): readonly OrderTerm[] {
  const terms = termTexts(text).map(({ name, direction }): OrderTerm => {
    const own = /^\w+$/.test(name) && doctype.columnByName.has(name);
    const by = own ? null : namedTerm(selection, name);
    if (by) return { by, direction };
    const path = resolveField(doctype, name, scope, 'order');
    return path.via === 'own'
      ? termOf(doctype, path.column, direction)
      : { by: { value: 'field', path }, direction };
  });
  if (terms.filter(({ by }) => by?.path?.via === 'link').length > LIMITS.linkedFields) {
    throw new ServiceError(
      'ValidationError',
      `At most ${LIMITS.linkedFields} fields behind links are allowed in order_by`,
    );
  }
  return total(doctype, terms);
}

/** The value with this name in the request; null without one. */
function namedTerm(selection: Selection, name: string): Value | null {
  const key = name.replaceAll('`', '');
  if (selection.select === 'terms') {
    const term = selection.terms.find((one) => one.key === key);
    if (!term || term.value === 'rows') return null;
    if (term.value === 'field' && !mayAlso(term.path, 'order')) throw notPermitted(name);
    return term;
  }
  if (selection.select === 'count') return null;
  const column = selection.columns.find((one) => one.key === key)?.column;
  if (!column) return null;
  const path: FieldPath = { via: 'own', column, nullable: true };
  if (!mayAlso(path, 'order')) throw notPermitted(name);
  return { value: 'field', path };
}

function defaultOrder(doctype: DocType, readable: FieldSet): readonly OrderTerm[] {
  const sortable = readable === 'all' || readable.has(doctype.sort_field);
  const wanted = sortable ? doctype.columnByName.get(doctype.sort_field) : undefined;
  const isSecret = wanted?.field?.fieldtype === 'Password';
  const column = wanted && !isSecret ? wanted : standardColumn(doctype, 'modified');
  return total(doctype, [termOf(doctype, column, doctype.sort_order)]);
}

// `name` makes the order total, so that pages neither skip nor repeat rows; it has the direction of the last
// term, so that one index can serve both.
function total(doctype: DocType, terms: readonly OrderTerm[]): readonly OrderTerm[] {
  if (terms.some((term) => term.by === undefined && term.column.fieldname === 'name')) return terms;
  const direction = terms.at(-1)?.direction ?? 'asc';
  return [...terms, termOf(doctype, standardColumn(doctype, 'name'), direction)];
}

function termOf(doctype: DocType, column: DocColumn, direction: 'asc' | 'desc'): ColumnTerm {
  return { column, nullable: isNullable(doctype, column), direction };
}

function standardColumn(doctype: DocType, name: 'name' | 'modified'): DocColumn {
  const column = doctype.columnByName.get(name);
  if (!column) throw new Error(`doctype ${doctype.name} has no column ${name}`);
  return column;
}
