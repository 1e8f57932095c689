import { ServiceError } from '../errors.ts';

/** A word, number, text or sign of an expression, and its position (from 1). */
export interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end';
  /** The content of a text without quotes; otherwise the source. */
  readonly text: string;
  readonly at: number;
}

/** Refuses an expression with 417 and the position of the problem. */
export function refuseExpression(problem: string, at?: number): never {
  const place = at === undefined ? '' : ` at character ${at}`;
  throw new ServiceError('ValidationError', `The expression ${problem}${place}`);
}

/** A part of the source for a message, bounded. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 50).toWellFormed());
}

// Longest first, so that `===` is not read as `==` and `=`.
const SIGNS = ['===', '!==', '==', '!=', '<=', '>=', '=>', '&&', '||', '?.', ...'<>!+-*/%.,()[]|~='];

const SPACE = /\s+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?/y;

/**
 * Splits an expression into tokens. The last one is `end`.
 * @throws ServiceError ValidationError
 */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0] ?? null;
  };
  while (at < source.length) {
    const space = match(SPACE);
    if (space !== null) {
      at += space.length;
      continue;
    }
    const token = readQuoted(source, at) ?? readPlain(match, source, at);
    tokens.push({ kind: token.kind, text: token.text, at: at + 1 });
    at += token.length;
  }
  tokens.push({ kind: 'end', text: '', at: source.length + 1 });
  return tokens;
}

interface Reading {
  readonly kind: Token['kind'];
  readonly text: string;
  /** Length in characters of the source. */
  readonly length: number;
}

function readPlain(match: (pattern: RegExp) => string | null, source: string, at: number): Reading {
  const word = match(WORD);
  if (word !== null) return { kind: 'word', text: word, length: word.length };
  const number = match(NUMBER);
  if (number !== null) {
    if (!Number.isFinite(Number(number))) refuseExpression('has a number that is too large', at + 1);
    return { kind: 'number', text: number, length: number.length };
  }
  const sign = SIGNS.find((one) => source.startsWith(one, at));
  if (sign === undefined) {
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0).toWellFormed();
    return refuseExpression(`has ${JSON.stringify(character)}, which means nothing here,`, at + 1);
  }
  return { kind: 'sign', text: sign, length: sign.length };
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['/', '/'],
]);

function readQuoted(source: string, start: number): Reading | null {
  const quote = source.charAt(start);
  if (quote !== '"' && quote !== "'") return null;
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === quote) return { kind: 'text', text, length: at + 1 - start };
    if (character !== '\\') {
      text += character;
      continue;
    }
    at += 1;
    const escaped = ESCAPES.get(source.charAt(at));
    if (escaped === undefined) refuseExpression('has an escape that is not known', at);
    text += escaped;
  }
  return refuseExpression('has a text without its closing quote', start + 1);
}
