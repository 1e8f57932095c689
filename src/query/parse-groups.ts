import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type ChildPath, type FieldPath, isSamePath, notPermitted } from './field-path.ts';
import { isAbsent, jsonParameter } from './json-parameter.ts';
import type { ListParameters, OrderTerm, SelectedTerm, Selection, Value } from './list-query.ts';
import { parseSelection, selectedItems } from './parse-selection.ts';
import { resolveGroupKey } from './period.ts';
import type { QueryScope } from './query-scope.ts';

/** The composition of a result row. */
export interface Shape {
  readonly selection: Selection;
  readonly groups: readonly FieldPath[] | null;
}

/**
 * Parses `fields`, `group_by` and `distinct` together. Groups may only show their keys and aggregates. As in
 * SQL, `distinct` may also precede the first field.
 * @throws ServiceError DataError for a field, ValidationError for a meaningless combination
 */
export function parseShape(doctype: DocType, wire: ListParameters, scope: QueryScope): Shape {
  const items = selectedItems(wire.fields);
  const [first, ...others] = items;
  const field = typeof first === 'string' ? DISTINCT.exec(first)?.[1] : undefined;
  const selection = parseSelection(doctype, field === undefined ? items : [field, ...others], scope);
  const given = parseGroups(doctype, wire.group_by, scope);
  if (given) return grouped(termsOf(selection), given);
  const isDistinct = field !== undefined || isTrue(wire.distinct);
  if (selection.select !== 'terms' && !isDistinct) return { selection, groups: null };
  if (selection.select === 'count') return { selection, groups: null };
  const terms = termsOf(selection);
  const isSummed = terms.some(({ value }) => value === 'aggregate');
  // Distinct rows are groups by all columns. A name occurs in one row only, unless child rows multiply it.
  if (isDistinct && !isSummed) {
    const isUnique = terms.some((one) => isOwnName(one)) && !terms.some((one) => viaOf(one) === 'child');
    if (!isUnique) return grouped(terms, pathsOf(terms));
  }
  const isDated = terms.some((term) => pathOf(term)?.period !== undefined);
  return isSummed || isDated ? grouped(terms, []) : { selection, groups: null };
}

const DISTINCT = /^distinct\s+(.*)$/is;

/** The child table of a result's rows. @throws ServiceError ValidationError when there are several */
export function joinedTable(
  selection: Selection,
  groups: readonly FieldPath[] | null,
  order: readonly OrderTerm[],
): ChildPath | null {
  if (selection.select === 'columns' && groups === null && order.every(({ by }) => by === undefined))
    return null;
  const shown = selection.select === 'terms' ? selection.terms.map(pathOf) : [];
  const ordered = order.map(({ by }) => by?.path ?? null);
  const paths = [...shown, ...(groups ?? []), ...ordered].filter((path) => path?.via === 'child');
  const [first] = paths;
  if (!first) return null;
  if (paths.some((path) => path.tables.join() !== first.tables.join())) {
    throw new ServiceError('ValidationError', 'Fields of only one child table can be selected at a time');
  }
  // An order by child rows would multiply documents in a list without such rows.
  if (groups === null && !shown.some((path) => path?.via === 'child')) {
    throw notPermitted(`${first.tables.join()}.${first.column.fieldname}`);
  }
  return first;
}

function parseGroups(doctype: DocType, wire: unknown, scope: QueryScope): readonly FieldPath[] | null {
  if (isAbsent(wire)) return null;
  const value = jsonParameter('group_by', wire);
  const names = typeof value === 'string' ? value.split(',') : value;
  if (names === null) return null;
  if (!Array.isArray(names)) throw notPermitted(JSON.stringify(names) ?? 'undefined');
  if (names.length > LIMITS.groupTerms) {
    throw new ServiceError('ValidationError', `At most ${LIMITS.groupTerms} fields are allowed in group_by`);
  }
  const paths: FieldPath[] = [];
  for (const name of names) {
    if (typeof name !== 'string') throw notPermitted(JSON.stringify(name) ?? 'undefined');
    const path = resolveGroupKey(doctype, name, scope, 'group');
    if (!paths.some((one) => isSamePath(one, path))) paths.push(path);
  }
  return paths.length === 0 ? null : paths;
}

function grouped(terms: readonly SelectedTerm[], groups: readonly FieldPath[]): Shape {
  for (const term of terms) {
    const isGrouped = term.value === 'field' && groups.some((path) => isSamePath(path, term.path));
    if (term.value !== 'aggregate' && !isGrouped) {
      throw new ServiceError(
        'ValidationError',
        `${term.key} must be in group_by or in an aggregate, because the list has rows of many documents`,
      );
    }
  }
  return { selection: { select: 'terms', terms }, groups };
}

function termsOf(selection: Selection): readonly SelectedTerm[] {
  switch (selection.select) {
    case 'terms':
      return selection.terms;
    case 'count':
      return [{ value: 'aggregate', of: 'count', path: null, distinct: false, key: selection.key }];
    case 'columns':
      return selection.columns.map(({ column, key }) => ({
        value: 'field',
        path: { via: 'own', column, nullable: column.fieldname !== 'name' },
        key,
      }));
  }
}

function pathOf(term: SelectedTerm | Value): FieldPath | null {
  return term.value === 'rows' ? null : term.path;
}

function pathsOf(terms: readonly SelectedTerm[]): FieldPath[] {
  return terms.map(pathOf).filter((path) => path !== null);
}

function viaOf(term: SelectedTerm): FieldPath['via'] | undefined {
  return pathOf(term)?.via;
}

function isOwnName(term: SelectedTerm): boolean {
  const path = pathOf(term);
  return path?.via === 'own' && path.column.fieldname === 'name';
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^\s*(1|true)\s*$/i.test(value));
}
