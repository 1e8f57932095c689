import type { Filter } from '../data/documents.ts';

export type Scalar = string | number | null;

/** One condition of a list, as it is kept in the address and shown as a chip. */
export interface Condition {
  /** The child doctype whose rows it looks at; null for a field of the document itself. */
  readonly table: string | null;
  readonly field: string;
  /**
   * One of the builder's twelve, or another one that only addresses written by hand have: it is kept, and the
   * server judges it.
   */
  readonly operator: string;
  readonly value: Scalar | readonly Scalar[];
}

/** As the server takes it. */
export function wireOf({ table, field, operator, value }: Condition): Filter {
  return table === null ? [field, operator, value] : [table, field, operator, value];
}

/**
 * Conditions of whatever stands in an address: lists of three or four, pairs that mean `=`, an object of
 * `field: value`. What is none of these is left out; `isWhole` then is false, because rows would be shown
 * that the address meant to hide.
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

/** The same condition with another operator: the value goes with it as far as it can. */
export function withOperator(condition: Condition, operator: string): Condition {
  const values = listOf(condition.value).filter((one) => one !== null && one !== '');
  // `set` is no value of the field.
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

/** The values of a condition as a list. */
export function listOf(value: Condition['value']): readonly Scalar[] {
  return typeof value === 'object' && value !== null ? (value as readonly Scalar[]) : [value];
}

/** Whether a condition is complete; incomplete conditions are not part of the query. */
export function isComplete({ field, operator, value }: Condition): boolean {
  if (field === '') return false;
  const values = listOf(value);
  const shape = shapeOf(operator);
  if (shape === 'many') return values.length > 0;
  if (shape === 'range') return values.length === 2 && values.every((one) => one !== null && one !== '');
  return values[0] !== null && values[0] !== '';
}

/** A pattern of `like` as a person means it: a word without `%` or `_` is looked for anywhere. */
export function patternOf(text: string): string {
  return text === '' || /(^|[^\\])[%_]/.test(text) ? text : `%${text}%`;
}

/** A text in which no character means more than itself in a pattern. */
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

// The `or` of the search stands in a list of its own below the conditions that all hold.
function nested(all: readonly Filter[], any: readonly Filter[]): readonly Filter[] {
  const either = any.flatMap((one, index) => (index === 0 ? [one] : ['or', one]));
  if (all.length === 0) return either as unknown as readonly Filter[];
  return [...all.flatMap((one) => [one, 'and']), either] as unknown as readonly Filter[];
}
