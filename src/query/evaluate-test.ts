import type { ColumnKind } from '../db/dialect.ts';
import { realText } from '../db/sqlite/real-text.ts';
import type { FieldValue } from '../kernel/value.ts';
import type { Interval } from './comparison-value.ts';
import type { Test } from './operators.ts';
import { wildcard } from './wildcard.ts';

/** What a test must know of the column whose value it looks at. */
interface Column {
  readonly kind: ColumnKind;
  readonly nullable: boolean;
}

/** Decides about one value in its stored form; exactly what `compileTest` has the database decide. */
export function evaluateTest({ kind, nullable }: Column, test: Test): (value: FieldValue) => boolean {
  switch (test.test) {
    case 'always':
      return () => true;
    case 'never':
      return () => false;
    case 'empty':
      return (value) => (value === null ? nullable : kind === 'text' && value === '');
    case 'filled':
      return (value) => (value === null ? kind !== 'text' && !nullable : kind !== 'text' || value !== '');
    case 'compare':
      return (value) =>
        value === null
          ? nullable && test.orNull
          : compares(compareValues(value, test.value), test.comparator);
    case 'one of':
      return (value) => (value === null ? nullable && test.orNull : isIn(test.intervals, value));
    case 'none of':
      return (value) => {
        if (value !== null) return !isIn(test.intervals, value);
        return nullable ? test.orNull : test.intervals.length === 0;
      };
    case 'like': {
      const fits = wildcard(test.pattern);
      return (value) => value !== null && fits(textOf(kind, value));
    }
    case 'not like': {
      const fits = wildcard(test.pattern);
      return (value) => (value === null ? nullable : !fits(textOf(kind, value)));
    }
    case 'tree':
      throw new Error('a tree is walked by the database');
  }
}

/** Ascending order of stored values as both engines keep it: null first, text by code point. */
export function compareValues(a: FieldValue, b: FieldValue): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1;
  return compareText(String(a), String(b));
}

// JavaScript compares UTF-16 units, where the surrogates of high code points lie below U+E000 and what follows it.
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) {
      const isHigh = left < 0xe000;
      if (isHigh !== right < 0xe000) return isHigh ? 1 : -1;
    }
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

function compares(order: number, comparator: '<' | '<=' | '>' | '>='): boolean {
  switch (comparator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

function isIn(intervals: readonly Interval[], value: string | number): boolean {
  return intervals.some(({ low, high }) => compareValues(value, low) >= 0 && compareValues(value, high) <= 0);
}

function textOf(kind: ColumnKind, value: string | number): string {
  return kind === 'real' && typeof value === 'number' ? realText(value) : String(value);
}
