import type { Operator } from './syntax.ts';
import { quoted, refuseExpression } from './tokens.ts';

/** The names that an expression may use besides the document. */
export interface Vocabulary {
  /** The document before the change: `previous`, `doc.has_value_changed()`. */
  readonly before: boolean;
  /** The variables of a template. */
  readonly locals: { has(name: string): boolean };
  /** `frappe.boot`. */
  readonly boot?: true;
}

/** The vocabulary of an expression about the current document alone. */
export const PLAIN: Vocabulary = { before: false, locals: new Set() };

/** The vocabulary of conditions that only forms evaluate. */
export const FORM: Vocabulary = { ...PLAIN, boot: true };

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
const SERVERS: ReadonlySet<string> = new Set(['frappe', 'utils', 'json', '_', 'nowdate', 'now', 'range']);

/** Refuses a name that no expression knows. @throws ServiceError ValidationError */
export function refuseName(name: string, at: number): never {
  const reason = SERVERS.has(name)
    ? ' (an expression sees only the document, and no function of the server)'
    : '';
  return refuseExpression(`has the unknown name ${quoted(name)}${reason}`, at);
}

const ROOTS: ReadonlySet<string> = new Set(['doc', 'parent', 'previous', 'frappe']);

/** False for a name that has a meaning already, which a variable would hide. */
export function mayBeVariable(name: string): boolean {
  return !ROOTS.has(name) && !KEYWORDS.has(name) && !CONSTANTS.has(name);
}
