import type { ColumnKind } from '../../src/db/dialect.ts';
import type { FieldValue } from '../../src/kernel/value.ts';

/** A stored value and what the evaluator must know of its column. */
export interface Cell {
  readonly kind: ColumnKind;
  readonly value: FieldValue;
}

type Wire = string | number | boolean | null | readonly Wire[];

/**
 * Whether a filter of the wire keeps a row, decided from the rules in words and without any SQL. The filter must be
 * one that is accepted.
 */
export function keeps(cell: Cell, operator: string, wire: Wire, today: string): boolean {
  switch (operator.toLowerCase()) {
    case '=':
      return equal(cell, wire);
    case '!=':
    case '<>':
      return !equal(cell, wire);
    case '<':
      return order(cell, wire) < 0;
    case '<=':
      return order(cell, wire) <= 0;
    case '>':
      return order(cell, wire) > 0;
    case '>=':
      return order(cell, wire) >= 0;
    case 'in':
      return listed(wire).some((one) => equal(cell, one));
    case 'not in':
      return !listed(wire).some((one) => equal(cell, one));
    case 'between':
      return within(cell, wire as readonly Wire[], today);
    case 'timespan':
    case 'previous':
    case 'next': {
      const days = DAYS[`${operator} ${String(wire)}`.toLowerCase()];
      if (today !== '2026-03-15' || !days) throw new Error(`no days of ${operator} ${String(wire)}`);
      return within(cell, days, today);
    }
    case 'like':
      return like(cell, String(wire));
    case 'not like':
      return !like(cell, String(wire));
    case 'is':
      return (String(wire).toLowerCase() === 'not set') === isEmpty(cell);
    default:
      throw new Error(`no operator ${operator}`);
  }
}

// What a calendar of 2026 says, 15 March being a Sunday.
const DAYS: Readonly<Record<string, readonly [string, string]>> = {
  'timespan yesterday': ['2026-03-14', '2026-03-14'],
  'timespan today': ['2026-03-15', '2026-03-15'],
  'timespan tomorrow': ['2026-03-16', '2026-03-16'],
  'timespan last week': ['2026-03-08', '2026-03-14'],
  'timespan this week': ['2026-03-15', '2026-03-21'],
  'timespan next quarter': ['2026-04-01', '2026-06-30'],
  'timespan last 7 days': ['2026-03-08', '2026-03-15'],
  'previous 1 week': ['2026-03-08', '2026-03-14'],
  'next 1 month': ['2026-04-01', '2026-04-30'],
};

/** The condition in words: operator and value. */
export const SPANS: readonly string[] = Object.keys(DAYS);

function isEmpty({ kind, value }: Cell): boolean {
  return value === null || (kind === 'text' && value === '');
}

function isBlank(kind: ColumnKind, wire: Wire): boolean {
  return wire === null || wire === '' || (kind !== 'text' && typeof wire === 'string' && wire.trim() === '');
}

function listed(wire: Wire): readonly Wire[] {
  if (Array.isArray(wire)) return wire;
  return typeof wire === 'string' ? wire.split(',').map((part) => part.trim()) : [wire];
}

function equal(cell: Cell, wire: Wire): boolean {
  if (isBlank(cell.kind, wire)) return isEmpty(cell);
  return !isEmpty(cell) && order(cell, wire) === 0;
}

// Negative when the cell is below. Empty is below everything, and in text the same as ''.
function order(cell: Cell, wire: Wire): number {
  if (isEmpty(cell)) return isBlank(cell.kind, wire) ? 0 : -1;
  if (isBlank(cell.kind, wire)) return 1;
  switch (cell.kind) {
    case 'integer':
    case 'real':
      return Number(cell.value) - numberOf(wire) < 0 ? -1 : Number(cell.value) > numberOf(wire) ? 1 : 0;
    case 'text':
      return byCodePoint(String(cell.value), wire === true ? '1' : wire === false ? '0' : String(wire));
    case 'date':
      return byCodePoint(String(cell.value), String(wire).trim().slice(0, 10));
    default: {
      // Both at the precision that the wire has, so that a timestamp cut on its way out still finds its row.
      const moment = momentOf(String(wire).trim());
      return byCodePoint(String(cell.value).slice(0, moment.length), moment);
    }
  }
}

function numberOf(wire: Wire): number {
  if (typeof wire === 'string' && /^true$/i.test(wire)) return 1;
  if (typeof wire === 'string' && /^false$/i.test(wire)) return 0;
  return Number(wire);
}

// At least to the second; a day alone is its first microsecond.
function momentOf(wire: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(wire)) return `${wire} 00:00:00.000000`;
  const [time = '', day] = wire.replace('T', ' ').split(' ').reverse();
  const padded = time.replace(/^(\d):/, '0$1:').replace(/^(\d\d:\d\d)$/, '$1:00');
  return day === undefined ? padded : `${day} ${padded}`;
}

function within(cell: Cell, bounds: readonly Wire[], today: string): boolean {
  const [from, to] = [0, 1].map((index) => {
    const bound = bounds[index] ?? '';
    return isBlank(cell.kind, bound) && cell.kind !== 'text' ? today : bound;
  });
  if (from === undefined || to === undefined) throw new Error('two bounds');
  if (cell.kind === 'datetime')
    return !isEmpty(cell) && afterBound(cell, from) >= 0 && afterBound(cell, to) <= 0;
  if (isEmpty(cell) && cell.kind !== 'text') return false;
  return order(cell, from) >= 0 && order(cell, to) <= 0;
}

// A bound that is a day means all of that day.
function afterBound(cell: Cell, wire: Wire): number {
  const text = String(wire).trim();
  return text.length === 10 ? byCodePoint(String(cell.value).slice(0, 10), text) : order(cell, wire);
}

function like(cell: Cell, pattern: string): boolean {
  if (cell.value === null) return false;
  let source = '';
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const next = characters[at + 1];
    if (character === '\\' && next !== undefined && '%_\\'.includes(next)) {
      source += escaped(next);
      at += 1;
    } else if (character === '%') source += '.*';
    else if (character === '_') source += '.';
    else source += escaped(folded(character));
  }
  return new RegExp(`^${source}$`, 'su').test(folded(textOf(cell)));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (character) => `\\${character}`);
}

function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

// Numbers read as they are usually written; from 1e15 on, and below 1e-4, with an exponent of two digits.
function textOf({ kind, value }: Cell): string {
  if (kind !== 'real' || typeof value !== 'number') return String(value);
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e15)) return String(value);
  return value.toExponential().replace(/([+-])(\d)$/, '$10$2');
}

/** Order of text by code point, as both engines keep it. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Ascending order of stored values: null first. */
export function inOrder(a: FieldValue, b: FieldValue): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
  return byCodePoint(String(a), String(b));
}
