import type { Filter } from '../data/documents.ts';

export type Scalar = string | number | null;

/** One condition of a list. The address stores it and a chip shows it. */
export interface Condition {
  /** The child doctype whose rows the condition reads; null for a field of the document. */
  readonly table: string | null;
  readonly field: string;
  /**
   * One of the filter builder's twelve operators, or any other from a hand-written address: the server checks
   * it.
   */
  readonly operator: string;
  readonly value: Scalar | readonly Scalar[];
}

/** The condition's wire form. */
export function wireOf({ table, field, operator, value }: Condition): Filter {
  return table === null ? [field, operator, value] : [table, field, operator, value];
}

/**
 * Parses conditions from an address: lists of three or four items, pairs that mean `=`, or an object of
 * `field: value`. Anything else is left out. `isWhole` is then false, because the list would show rows that
 * the address excluded.
 */
export function conditionsOf(wire: unknown, doctype: string): { conditions: Condition[]; isWhole: boolean } {
  if (wire === undefined || wire === null || wire === '') return { conditions: [], isWhole: true };
  const items = Array.isArray(wire) ? (typeof wire[0] === 'string' ? [wire] : wire) : entriesOf(wire);
  if (!items) return { conditions: [], isWhole: false };
  const found = items.map((one) => conditionOf(one, doctype));
  const conditions = found.filter((one) => one !== null);
  return { conditions, isWhole: conditions.length === found.length };
}

function entriesOf(wire: unknown): unknown[] | null {
  if (typeof wire !== 'object' || wire === null) return null;
  return Object.entries(wire).map(([field, value]) =>
    Array.isArray(value) ? [field, ...value] : [field, '=', value],
  );
}

function conditionOf(wire: unknown, doctype: string): Condition | null {
  if (!Array.isArray(wire) || wire.length < 2) return null;
  const parts: readonly unknown[] = wire;
  const [table, rest] = parts.length >= 4 ? [parts[0], parts.slice(1, 4)] : [doctype, parts];
  const [field, operator, value] = rest.length === 2 ? [rest[0], '=', rest[1]] : rest;
  if (typeof table !== 'string' || typeof field !== 'string' || typeof operator !== 'string') return null;
  const kept = keptValue(value);
  if (kept === undefined) return null;
  const name = operator.trim().toLowerCase();
  return { table: table === doctype ? null : table, field, operator: name === '' ? '=' : name, value: kept };
}

function keptValue(value: unknown): Condition['value'] | undefined {
  if (!Array.isArray(value)) return scalarOf(value);
  const scalars = value.map(scalarOf);
  return scalars.every((one) => one !== undefined) ? scalars : undefined;
}

function scalarOf(value: unknown): Scalar | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** The kind of value that an operator takes. */
export function shapeOf(operator: string): 'one' | 'pattern' | 'many' | 'range' | 'presence' {
  if (operator === 'in' || operator === 'not in') return 'many';
  if (operator === 'between') return 'range';
  if (operator === 'is') return 'presence';
  return operator === 'like' || operator === 'not like' ? 'pattern' : 'one';
}

/** Changes the operator of a condition and converts its value as far as possible. */
export function withOperator(condition: Condition, operator: string): Condition {
  const values = listOf(condition.value).filter((one) => one !== null && one !== '');
  // `set` is no value of the field, so it is dropped.
  const [first = null, second = first] = condition.operator === 'is' ? [] : values;
  const value = {
    one: first,
    pattern: first,
    many: condition.operator === 'is' ? [] : values,
    range: [first, second],
    presence: condition.operator === 'is' ? condition.value : 'set',
  }[shapeOf(operator)];
  return { ...condition, operator, value };
}

/** A condition's value as a list. */
export function listOf(value: Condition['value']): readonly Scalar[] {
  return typeof value === 'object' && value !== null ? (value as readonly Scalar[]) : [value];
}

/** True if the condition is complete. Incomplete conditions are left out of the query. */
export function isComplete({ field, operator, value }: Condition): boolean {
  if (field === '') return false;
  const values = listOf(value);
  const shape = shapeOf(operator);
  if (shape === 'many') return values.length > 0;
  if (shape === 'range') return values.length === 2 && values.every((one) => one !== null && one !== '');
  return values[0] !== null && values[0] !== '';
}

/** Builds a `like` pattern from user input: text without `%` or `_` matches anywhere. */
export function patternOf(text: string): string {
  return text === '' || /(^|[^\\])[%_]/.test(text) ? text : `%${text}%`;
}

/** Escapes the special characters of a pattern. */
export function escapedForPattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** The server's filters for the "all" conditions, the "any" conditions, and a text search in some fields. */
export function wireFilters(
  {
    filters,
    or,
    text,
  }: { readonly filters: readonly Condition[]; readonly or: readonly Condition[]; readonly text: string },
  searched: readonly string[],
): { readonly filters?: readonly Filter[]; readonly or_filters?: readonly Filter[] } {
  const all = filters.filter(isComplete).map(wireOf);
  const any = or.filter(isComplete).map(wireOf);
  const found = text.trim() === '' ? [] : searched.map((field) => containing(field, text.trim()));
  const joined = found.length === 0 ? all : nested(all, found);
  return {
    ...(joined.length > 0 ? { filters: joined } : {}),
    ...(any.length > 0 ? { or_filters: any } : {}),
  };
}

function containing(field: string, text: string): Filter {
  return [field, 'like', `%${escapedForPattern(text)}%`];
}

// The `or` list of the search is nested inside the conditions that must all hold.
function nested(all: readonly Filter[], any: readonly Filter[]): readonly Filter[] {
  const either = any.flatMap((one, index) => (index === 0 ? [one] : ['or', one]));
  if (all.length === 0) return either as unknown as readonly Filter[];
  return [...all.flatMap((one) => [one, 'and']), either] as unknown as readonly Filter[];
}

/** Conditions of a list, and one more that must hold. */
export function withCondition<T extends { readonly filters?: readonly Filter[] }>(
  conditions: T,
  more: Filter,
): T {
  const { filters = [] } = conditions;
  const hasWords = filters.some((one: unknown) => typeof one === 'string');
  const joined = hasWords ? ([filters, 'and', more] as unknown as readonly Filter[]) : [...filters, more];
  return { ...conditions, filters: joined };
}
