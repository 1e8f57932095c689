import { ServiceError } from '../../kernel/errors.ts';

/** A piece of a template: literal text, `{{ an expression }}`, or `{% a statement %}`. */
export interface Piece {
  readonly kind: 'text' | 'output' | 'statement';
  readonly text: string;
  /** Its first line, from 1. */
  readonly line: number;
}

/**
 * Splits a template into pieces, without its `{# comments #}`. A minus inside a brace strips the white space
 * outside.
 * @throws ServiceError ValidationError for an unclosed brace
 */
export function parsePieces(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let line = 1;
  let trimNext = false;
  while (at < source.length) {
    const start = nextBrace(source, at);
    let text = source.slice(at, start);
    const textLine = line;
    line += lines(text);
    const opening = source.slice(start, start + 2);
    const closing = CLOSING.get(opening);
    if (trimNext) text = text.trimStart();
    if (closing !== undefined && source[start + 2] === '-') text = text.trimEnd();
    if (text !== '') pieces.push({ kind: 'text', text, line: textLine });
    if (closing === undefined) break;

    const end = opening === '{#' ? source.indexOf(closing, start + 2) : endOf(source, start + 2, closing);
    if (end < 0) throw new ServiceError('ValidationError', `Line ${line}: ${opening} without its ${closing}`);
    let inner = source.slice(start + 2, end);
    const kind = opening === '{{' ? 'output' : 'statement';
    const innerLine = line;
    line += lines(inner);
    trimNext = inner.endsWith('-');
    inner = inner.replace(/^-/, '').replace(/-$/, '').trim();
    if (opening !== '{#') pieces.push({ kind, text: inner, line: innerLine });
    at = end + 2;
  }
  return pieces;
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
]);

function nextBrace(source: string, from: number): number {
  for (let at = source.indexOf('{', from); at >= 0; at = source.indexOf('{', at + 1)) {
    if (CLOSING.has(source.slice(at, at + 2))) return at;
  }
  return source.length;
}

/** The position of the closing brace outside quoted text; -1 without one. */
function endOf(source: string, from: number, closing: string): number {
  let quote = '';
  for (let at = from; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (source.startsWith(closing, at)) return at;
  }
  return -1;
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}
