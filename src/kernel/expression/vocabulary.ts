import type { Operator } from './syntax.ts';

/** The names that an expression may use besides the document. */
export interface Vocabulary {
  /** The document before the change: `previous`, `doc.has_value_changed()`. */
  readonly before: boolean;
  /** The variables of a template. */
  readonly locals: { has(name: string): boolean };
}

/** The vocabulary of an expression about the current document alone. */
export const PLAIN: Vocabulary = { before: false, locals: new Set() };

/** Operators of one precedence by their spellings in both languages. */
export type Operators = ReadonlyMap<string, Operator>;

export const DISJUNCTION: Operators = new Map<string, Operator>([
  ['||', 'or'],
  ['or', 'or'],
]);

export const CONJUNCTION: Operators = new Map<string, Operator>([
  ['&&', 'and'],
  ['and', 'and'],
]);

export const SUM: Operators = new Map<string, Operator>([
  ['+', '+'],
  ['-', '-'],
  ['~', '~'],
]);

export const PRODUCT: Operators = new Map<string, Operator>([
  ['*', '*'],
  ['/', '/'],
  ['%', '%'],
]);

export const COMPARISONS: Operators = new Map<string, Operator>([
  ['==', '=='],
  ['===', '=='],
  ['!=', '!='],
  ['!==', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

/** Constants by name. */
export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['none', null],
  ['None', null],
  ['undefined', null],
]);

/** Reserved words, which cannot be variables. */
export const KEYWORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else']);

/** The server functions that conditions and templates of Frappe may call. */
export const SERVERS: ReadonlySet<string> = new Set([
  'frappe',
  'utils',
  'json',
  '_',
  'nowdate',
  'now',
  'range',
]);
