import type { Operator } from './syntax.ts';

/** What an expression may speak of beside the document. */
export interface Vocabulary {
  /** The document before the change: `previous`, `doc.has_value_changed()`. */
  readonly before: boolean;
  /** Knows the names that a template has given. */
  readonly locals: { has(name: string): boolean };
}

/** For a question about a document as it is. */
export const PLAIN: Vocabulary = { before: false, locals: new Set() };

/** One operator for the spellings of both languages. */
export const COMPARISONS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', '=='],
  ['===', '=='],
  ['!=', '!='],
  ['!==', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

/** Words that are values. */
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

/** Words that have a meaning of their own, and so name nothing. */
export const KEYWORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else']);

/** What conditions and templates of Frappe may call. */
export const SERVERS: ReadonlySet<string> = new Set([
  'frappe',
  'utils',
  'json',
  '_',
  'nowdate',
  'now',
  'range',
]);
