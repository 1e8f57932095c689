import { type Part, partsOf } from '../like.ts';

/** The PostgreSQL regular expression equivalent to a pattern of `foldPattern`. */
export function likeExpression(pattern: string): string {
  const [first = [], ...others] = partsOf(pattern);
  const last = others.pop();
  const start = first.length > 0 || last === undefined ? `^${expressionOf(first)}` : '';
  if (last === undefined) return `${start}$`;
  const between = others.filter((part) => part.length > 0).map(expressionOf);
  const end = last.length > 0 ? `${expressionOf(last)}$` : '';
  return [start, ...between, end].filter((part) => part !== '').join('.*');
}

function expressionOf(part: Part): string {
  return part.map((character) => character?.replace(SPECIAL, '\\$&') ?? '.').join('');
}

/**
 * ASCII characters with a possible meaning in a regular expression. A backslash before a letter or digit
 * would make it special.
 */
const SPECIAL = /[!-/:-@[-`{-~]/;
