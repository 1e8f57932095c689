import type { DocColumn } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { boundInterval, type Interval, interval, junk, likePattern } from './comparison-value.ts';
import { type Days, PERIOD_NAMES, periodDays, TIMESPANS, timespanDays } from './timespan.ts';
import { TREE_OPERATORS, type TreeOperator, type TreeTest } from './tree-test.ts';

/**
 * A condition on one column, with all rules about empty values resolved. `orNull`: null passes, too;
 * otherwise null fails.
 */
export type Test =
  | { readonly test: 'always' | 'never' | 'empty' | 'filled' }
  | {
      readonly test: 'compare';
      readonly comparator: '<' | '<=' | '>' | '>=';
      readonly value: string | number;
      readonly orNull: boolean;
    }
  | {
      readonly test: 'one of' | 'none of';
      readonly intervals: readonly Interval[];
      readonly orNull: boolean;
    }
  | { readonly test: 'like' | 'not like'; readonly pattern: string }
  | TreeTest;

/** The operators of the wire that need only a value, by name; `<>` is another spelling of `!=`. */
export const OPERATORS = {
  '=': equals,
  '!=': differs,
  '>': (column, value) => compare(column, '>', value),
  '<': (column, value) => compare(column, '<', value),
  '>=': (column, value) => compare(column, '>=', value),
  '<=': (column, value) => compare(column, '<=', value),
  like: (column, value) => ({ test: 'like', pattern: likePattern(column, value) }),
  'not like': (column, value) => ({ test: 'not like', pattern: likePattern(column, value) }),
  in: isIn,
  'not in': isNotIn,
  between,
  timespan: (column, value, today) => span(column, value, TIMESPANS, (name) => timespanDays(name, today())),
  previous: (column, value, today) =>
    span(column, value, PERIOD_NAMES, (name) => periodDays('last', name, today())),
  next: (column, value, today) =>
    span(column, value, PERIOD_NAMES, (name) => periodDays('next', name, today())),
  is,
} as const satisfies Readonly<Record<string, BuildTest>>;

export type Operator = keyof typeof OPERATORS;

/** `today` is a date, called only when needed. */
type BuildTest = (column: DocColumn, value: unknown, today: () => string) => Test;

/**
 * The operator of this name: any case, surrounding blanks allowed; an empty one means `=`.
 * @throws ServiceError ValidationError listing the operators
 */
export function parseOperator(name: unknown): Operator | TreeOperator {
  if (name === null || name === '') return '=';
  if (typeof name === 'string' && name.length <= 40) {
    const plain = name.trim().toLowerCase().replaceAll(/\s+/g, ' ');
    const operator = plain === '<>' ? '!=' : plain;
    if (Object.hasOwn(OPERATORS, operator)) return operator as Operator;
    if (Object.hasOwn(TREE_OPERATORS, operator)) return operator as TreeOperator;
  }
  const names = [...Object.keys(OPERATORS), ...Object.keys(TREE_OPERATORS)].join(', ');
  throw new ServiceError('ValidationError', `Operator must be one of ${names}`);
}

/** True for the operators that ask for a tree. */
export function walksTree(operator: Operator | TreeOperator): operator is TreeOperator {
  return Object.hasOwn(TREE_OPERATORS, operator);
}

/** The test of `column` for `operator` and `value`. @throws ServiceError ValidationError naming the field */
export function buildTest(column: DocColumn, operator: Operator, value: unknown, today: () => string): Test {
  const build: BuildTest = OPERATORS[operator];
  if (column.fieldname !== 'name' || column.kind !== 'integer') return build(column, value, today);
  if (operator === 'in' || operator === 'not in') {
    return build(column, listOf(column, value).filter(isPossible), today);
  }
  const asked = operator === 'between' && Array.isArray(value) ? value : [value];
  if (IN_TEXT.has(operator) || asked.every(isPossible)) return build(column, value, today);
  return { test: operator === '!=' ? 'always' : 'never' };
}

// A text that is no number names no document where names are numbers.
function isPossible(value: unknown): boolean {
  if (typeof value !== 'string' || value.trim() === '') return true;
  return /^[+-]?\d+(?:\.\d*)?$/.test(value.trim()) && Number.isFinite(Number(value));
}

const IN_TEXT: ReadonlySet<string> = new Set(['like', 'not like', 'is']);

// Blank text is text like any other; for numbers and dates it means unset.
function isUnset(column: DocColumn, value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return column.kind !== 'text' && typeof value === 'string' && value.trim() === '';
}

function equals(column: DocColumn, value: unknown): Test {
  if (isUnset(column, value)) return { test: 'empty' };
  return { test: 'one of', intervals: [interval(column, value)], orNull: false };
}

function differs(column: DocColumn, value: unknown): Test {
  if (isUnset(column, value)) return { test: 'filled' };
  return { test: 'none of', intervals: [interval(column, value)], orNull: true };
}

// Null sorts below every value, and equals '' in text.
function compare(column: DocColumn, comparator: '<' | '<=' | '>' | '>=', value: unknown): Test {
  if (isUnset(column, value)) {
    // No name is blank: clients ask for the names after ''.
    const isBlank = column.kind === 'text' || column.fieldname === 'name';
    if (!isBlank) throw junk(column, value, 'a value to compare with');
    if (comparator === '<') return { test: 'never' };
    if (comparator === '>=') return { test: 'always' };
    return { test: comparator === '>' ? 'filled' : 'empty' };
  }
  const { low, high } = interval(column, value);
  const isBelow = comparator === '<' || comparator === '<=';
  const edge = comparator === '<' || comparator === '>=' ? low : high;
  return { test: 'compare', comparator, value: edge, orNull: isBelow };
}

function isIn(column: DocColumn, value: unknown): Test {
  const values = listOf(column, value);
  return {
    test: 'one of',
    intervals: intervalsOf(column, values),
    orNull: values.some((one) => isUnset(column, one)),
  };
}

function isNotIn(column: DocColumn, value: unknown): Test {
  const values = listOf(column, value);
  return {
    test: 'none of',
    intervals: intervalsOf(column, values),
    orNull: !values.some((one) => isUnset(column, one)),
  };
}

function listOf(column: DocColumn, value: unknown): readonly unknown[] {
  const values =
    typeof value === 'string'
      ? value.split(',').map((part) => part.trim())
      : Array.isArray(value)
        ? value
        : [value];
  if (values.length > LIMITS.inValues)
    throw junk(column, '(a longer list)', `at most ${LIMITS.inValues} values`);
  return values;
}

function intervalsOf(column: DocColumn, values: readonly unknown[]): Interval[] {
  const intervals = values.filter((value) => !isUnset(column, value)).map((value) => interval(column, value));
  const hasUnset = intervals.length < values.length;
  if (hasUnset && column.kind === 'text') intervals.push({ low: '', high: '' });
  return intervals;
}

function between(column: DocColumn, value: unknown, today: () => string): Test {
  if (!Array.isArray(value) || value.length > 2) throw junk(column, value, 'two values, from and to');
  const [from, to] = [0, 1].map((index) => bound(column, value[index], value, today));
  if (!from || !to) throw junk(column, value, 'two values, from and to');
  return {
    test: 'one of',
    intervals: [{ low: from.low, high: to.high }],
    orNull: column.kind === 'text' && from.low === '',
  };
}

function bound(column: DocColumn, value: unknown, all: unknown, today: () => string): Interval {
  if (!isUnset(column, value)) return boundInterval(column, value);
  if (column.kind === 'date' || column.kind === 'datetime') return boundInterval(column, today());
  if (column.kind === 'text' && value === '') return { low: '', high: '' };
  throw junk(column, all, 'two values, from and to');
}

// From the start of the first day to the end of the last.
function span(
  column: DocColumn,
  value: unknown,
  known: readonly string[],
  daysOf: (name: string) => Days | null,
): Test {
  if (column.kind !== 'date' && column.kind !== 'datetime') throw junk(column, value, 'a date to look at');
  const found = typeof value === 'string' && value.length <= 40 ? daysOf(value) : null;
  if (!found) throw junk(column, value, `one of ${known.join(', ')}`);
  const [from, to] = found;
  const { low } = boundInterval(column, from);
  return { test: 'one of', intervals: [{ low, high: boundInterval(column, to).high }], orNull: false };
}

function is(column: DocColumn, value: unknown): Test {
  const state = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (state === 'set') return { test: 'filled' };
  if (state === 'not set') return { test: 'empty' };
  throw junk(column, value, '"set" or "not set"');
}
