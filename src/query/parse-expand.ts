import { readableFields } from '../access/field-level.ts';
import { allows } from '../access/permission.ts';
import { rowFilter } from '../access/row-filter.ts';
import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { notPermitted, resolveField } from './field-path.ts';
import { isAbsent, jsonParameter } from './json-parameter.ts';
import type { Expansion, Selection } from './list-query.ts';
import type { QueryScope } from './query-scope.ts';

const NONE: readonly Expansion[] = [];

/**
 * Parses the links that a list expands to documents: names of Link fields among its fields.
 * @throws ServiceError DataError for any other field, and for links to documents that the user may not read
 */
export function parseExpand(
  wire: unknown,
  scope: QueryScope,
  selection: Selection,
  doctype: DocType,
): readonly Expansion[] {
  if (isAbsent(wire)) return NONE;
  const value = jsonParameter('expand', wire);
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : (value ?? []);
  if (!Array.isArray(names)) throw notPermitted(JSON.stringify(names) ?? 'undefined');
  if (names.length > LIMITS.linkedFields) {
    throw new ServiceError('ValidationError', `At most ${LIMITS.linkedFields} links can be expanded`);
  }
  return [...new Set(names)].flatMap((name) => expansions(doctype, name, selection, scope));
}

function expansions(doctype: DocType, name: unknown, selection: Selection, scope: QueryScope): Expansion[] {
  if (typeof name !== 'string') throw notPermitted(JSON.stringify(name) ?? 'undefined');
  const { column, via } = resolveField(doctype, name, scope, 'select');
  const target = column.field?.fieldtype === 'Link' ? scope.registry.find(column.field.options) : undefined;
  const isReachable =
    target && target.rowsFrom !== 'controller' && !target.issingle && allows(scope.user, target, 'read');
  if (via !== 'own' || !isReachable) throw notPermitted(name);
  const readable = readableFields(scope.user, target);
  return keysOf(selection, column.fieldname).map((place) => ({
    ...place,
    target,
    columns: target.columns.filter(({ fieldname }) => readable === 'all' || readable.has(fieldname)),
    rows: scope.rowsOf ? scope.rowsOf(target) : rowFilter(scope.user, target, 'read', scope.registry),
  }));
}

function keysOf(selection: Selection, fieldname: string): { key: string; column: string }[] {
  if (selection.select === 'count') return [];
  if (selection.select === 'terms') {
    return selection.terms.flatMap((term, position) =>
      term.value === 'field' && term.path.via === 'own' && term.path.column.fieldname === fieldname
        ? [{ key: term.key, column: `_${position}` }]
        : [],
    );
  }
  const isAliased = selection.columns.some(({ column, key }) => column.fieldname !== key);
  return selection.columns.flatMap(({ column, key }, position) =>
    column.fieldname === fieldname ? [{ key, column: isAliased ? `_${position}` : fieldname }] : [],
  );
}
