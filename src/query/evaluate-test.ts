import type { ColumnKind } from '../db/dialect.ts';
import { foldPattern } from '../db/fold.ts';
import { foldLong, likeMatcher } from '../db/like.ts';
import { realText } from '../db/sqlite/real-text.ts';
import type { FieldValue } from '../kernel/value.ts';
import type { Interval } from './comparison-value.ts';
import type { Test } from './operators.ts';

/** The properties of a column that a test needs. */
interface Column {
  readonly kind: ColumnKind;
  readonly nullable: boolean;
}

/** Evaluates a test for one stored value, with exactly the result of `compileTest` in the database. */
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
      const fits = isLike(test.pattern);
      return (value) => value !== null && fits(operandText(kind, value));
    }
    case 'not like': {
      const fits = isLike(test.pattern);
      return (value) => (value === null ? nullable : !fits(operandText(kind, value)));
    }
    case 'tree':
      throw new Error('a tree is walked by the database');
  }
}

function isLike(pattern: string): (text: string) => boolean {
  const matches = likeMatcher(foldPattern(pattern));
  const look = () => {};
  return (text) => matches(foldLong(text, look), look);
}

/** Compares stored values in ascending order as on both engines: null first, text by code point. */
export function compareValues(a: FieldValue, b: FieldValue): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1;
  return compareText(String(a), String(b));
}

// JavaScript compares UTF-16 units, in which surrogates sort below U+E000.
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

function operandText(kind: ColumnKind, value: string | number): string {
  return kind === 'real' && typeof value === 'number' ? realText(value) : String(value);
}
