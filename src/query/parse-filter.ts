import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import { type FieldPath, notPermitted, resolveField, resolveFieldOf } from './field-path.ts';
import { jsonParameter } from './json-parameter.ts';
import type { Filter, FilterGroup } from './list-query.ts';
import { buildTest, parseOperator, walksTree } from './operators.ts';
import type { QueryScope } from './query-scope.ts';
import { buildTreeTest } from './tree-test.ts';

/**
 * Parses filters in any shape of the wire: triples, quadruples with a doctype first, pairs (meaning `=`), a
 * single such condition, an object of `field: value` or `field: [operator, value]`; conditions joined by
 * "and" and "or", evaluated from left to right, with lists for groups; or JSON text of these. Absent gives
 * none.
 * @throws ServiceError DataError for a field, ValidationError for a shape, an operator or a value
 */
export function parseFilters(
  doctype: DocType,
  name: 'filters' | 'or_filters',
  wire: unknown,
  scope: QueryScope,
): ParsedFilters {
  const value = jsonParameter(name, wire);
  if (value === null) return NONE;
  if (name === 'filters' && Array.isArray(value) && isNested(value))
    return parseNested(doctype, value, scope);
  const conditions = isRecord(value) ? Object.entries(value).map(fromEntry) : fromArray(name, value);
  if (conditions.length > LIMITS.filterConditions) {
    throw tooMany(name);
  }
  return { filters: conditions.map((condition) => parseCondition(doctype, condition, scope)), nested: [] };
}

/** Conditions that must all match, and nested groups. */
export interface ParsedFilters {
  readonly filters: readonly Filter[];
  readonly nested: readonly FilterGroup[];
}

const NONE: ParsedFilters = { filters: [], nested: [] };

type Node = Filter | FilterGroup;

// A nested filter has a list in place of a fieldname, or a word between conditions.
function isNested(value: readonly unknown[]): boolean {
  return value.some(
    (item, index) =>
      (Array.isArray(item) && typeof item[0] === 'object') ||
      (index > 0 && typeof item === 'string' && typeof value[0] === 'object'),
  );
}

function parseNested(doctype: DocType, value: readonly unknown[], scope: QueryScope): ParsedFilters {
  let count = 0;
  function group(items: readonly unknown[], depth: number): FilterGroup {
    if (depth > LIMITS.filterDepth) {
      throw new ServiceError('ValidationError', `Filters may be nested ${LIMITS.filterDepth} deep at most`);
    }
    const hasWords = items.some((item) => typeof item === 'string');
    if (items.length === 0 || (hasWords && items.length % 2 === 0)) throw malformed();
    if (!hasWords) return { join: 'and', nodes: items.map((item) => node(item, depth)) };
    const [first, ...rest] = items;
    let all: FilterGroup = { join: 'and', nodes: [node(first, depth)] };
    for (let at = 0; at < rest.length; at += 2) {
      const next = node(rest[at + 1], depth);
      const join = word(rest[at]);
      const isSame = all.join === join || all.nodes.length === 1;
      all = { join, nodes: isSame ? [...all.nodes, next] : [all, next] };
    }
    return all;
  }
  function node(item: unknown, depth: number): Node {
    if (isRecord(item)) return group(Object.entries(item).map(fromEntry), depth + 1);
    if (!Array.isArray(item)) throw malformed();
    if (typeof item[0] === 'object') return group(item, depth + 1);
    count += 1;
    if (count > LIMITS.filterConditions) throw tooMany('filters');
    return parseCondition(doctype, item, scope);
  }
  return { filters: [], nested: [group(value, 1)] };
}

function word(item: unknown): 'and' | 'or' {
  const plain = typeof item === 'string' ? item.trim().toLowerCase() : '';
  if (plain !== 'and' && plain !== 'or') {
    throw new ServiceError('ValidationError', 'Conditions must be separated by "and" or "or"');
  }
  return plain;
}

function tooMany(name: string): ServiceError {
  return new ServiceError(
    'ValidationError',
    `At most ${LIMITS.filterConditions} conditions are allowed in ${name}`,
  );
}

type Condition = readonly unknown[];

function fromEntry([field, value]: readonly [string, unknown]): Condition {
  if (!Array.isArray(value)) return [field, '=', value];
  if (value.length < 2) throw malformed();
  return [field, value[0], value[1]];
}

function fromArray(name: string, value: unknown): readonly Condition[] {
  if (!Array.isArray(value)) {
    throw new ServiceError('ValidationError', `Parameter ${name} must be a list of conditions or an object`);
  }
  // A single condition without a list around it.
  if (typeof value[0] === 'string') return [value];
  return value.map((condition) => {
    if (!Array.isArray(condition)) throw malformed();
    return condition;
  });
}

function parseCondition(doctype: DocType, condition: Condition, scope: QueryScope): Filter {
  // Frappe's own user interface appends a fifth element; Frappe ignores it too.
  const [path, operatorName, value] = operands(doctype, condition, scope);
  const operator = parseOperator(operatorName);
  if (walksTree(operator)) return { path, test: buildTreeTest(doctype, path, operator, value, scope) };
  return { path, test: buildTest(path.column, operator, value, () => scope.now().slice(0, 10)) };
}

function operands(doctype: DocType, condition: Condition, scope: QueryScope): [FieldPath, unknown, unknown] {
  if (condition.length < 2) throw malformed();
  if (condition.length >= 4) {
    const [ofDoctype, field, operator, value] = condition;
    if (typeof ofDoctype !== 'string' || typeof field !== 'string') throw malformed();
    return [resolveFieldOf(doctype, decoded(doctype, ofDoctype, field), field, scope), operator, value];
  }
  const [field, operator, value] = condition.length === 2 ? [condition[0], '=', condition[1]] : condition;
  if (typeof field !== 'string') throw malformed();
  return [resolveField(doctype, field, scope, 'filter'), operator, value];
}

// n8n copies the doctype from the URL in its encoded form, `Sales%20Invoice`.
function decoded(doctype: DocType, name: string, field: string): string {
  if (name === doctype.name || !name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    throw notPermitted(field);
  }
}

function malformed(): ServiceError {
  return new ServiceError(
    'ValidationError',
    'Filter must have 3 values (fieldname, operator, value) or 4 (doctype, fieldname, operator, value)',
  );
}
