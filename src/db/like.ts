import { fold } from './fold.ts';

/** Called at intervals while a long text is read. It may throw to stop the search. */
export type Look = () => void;

/** Characters read between two calls of `Look`. */
const PIECE = 64 * 1024;
/**
 * `indexOf` preprocesses only the last 250 characters of its pattern. Beyond them, its time grows with the
 * product of both lengths.
 */
const INDEXED = 250;

/**
 * `fold` with calls of `look`. A letter folds alike in any context, so pieces give the same result as the
 * whole.
 */
export function foldLong(text: string, look: Look): string {
  if (text.length <= PIECE) return fold(text);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    look();
    let end = Math.min(at + PIECE, text.length);
    if (widthBefore(text, end + 1) === 2) end += 1;
    pieces.push(fold(text.slice(at, end)));
    at = end;
  }
  return pieces.join('');
}

/**
 * Makes a matcher of folded texts for a pattern of `foldPattern`. It searches each part between two `%` once,
 * after the part before it, so the time grows with the length of the text and not with repetitions in the
 * pattern.
 */
export function likeMatcher(pattern: string): (folded: string, look: Look) => boolean {
  const [first = [], ...others] = partsOf(pattern);
  const last = others.pop();
  const finders = others.filter((part) => part.length > 0).map(finderOf);
  return (text, look) => {
    let at = endOf(first, text);
    if (at < 0 || last === undefined) return at === text.length;
    const end = startOf(last, text);
    if (end < at) return false;
    for (const find of finders) {
      at = find(text, at, end, look);
      if (at < 0) return false;
    }
    return true;
  };
}

/** The part of a pattern between two `%`: characters, and null for any character. */
export type Part = readonly (string | null)[];

/** The parts of a pattern from `foldPattern`. */
export function partsOf(pattern: string): Part[] {
  const parts: (string | null)[][] = [[]];
  let isEscaped = false;
  for (const character of pattern.toWellFormed()) {
    if (!isEscaped && character === '\\') isEscaped = true;
    else {
      if (!isEscaped && character === '%') parts.push([]);
      else parts.at(-1)?.push(!isEscaped && character === '_' ? null : character);
      isEscaped = false;
    }
  }
  return parts;
}

/** The end of the part if the text starts with it; otherwise -1. */
function endOf(part: Part, text: string): number {
  let at = 0;
  for (const character of part) {
    if (at === text.length || !(character === null || text.startsWith(character, at))) return -1;
    at += character?.length ?? widthBehind(text, at);
  }
  return at;
}

/** The start of the part if the text ends with it; otherwise -1. */
function startOf(part: Part, text: string): number {
  let at = text.length;
  for (const character of part.toReversed()) {
    if (at === 0 || !(character === null || text.endsWith(character, at))) return -1;
    at -= character?.length ?? widthBefore(text, at);
  }
  return at;
}

/** The end of the first match of a part between `from` and `to`; -1 without a match. */
type Find = (text: string, from: number, to: number, look: Look) => number;

function finderOf(part: Part): Find {
  const literal = part.includes(null) ? '' : part.join('');
  return literal === '' || literal.length > INDEXED ? shiftAnd(part) : indexOf(literal);
}

function indexOf(literal: string): Find {
  return (text, from, to, look) => {
    for (let at = from; at + literal.length <= to; at += PIECE) {
      look();
      const found = text.slice(at, Math.min(to, at + PIECE + literal.length - 1)).indexOf(literal);
      if (found >= 0) return at + found + literal.length;
    }
    return -1;
  };
}

/**
 * Baeza-Yates and Gonnet: bit `i` of the state is set when the last `i + 1` characters match the start of the
 * part.
 */
function shiftAnd(part: Part): Find {
  const words = Math.ceil(part.length / 32);
  const any = new Int32Array(words);
  const masks = new Map<number, Int32Array>();
  for (const character of part)
    if (character) masks.set(character.codePointAt(0) ?? 0, new Int32Array(words));
  for (const [place, character] of part.entries()) {
    const bit = 1 << (place % 32);
    const word = Math.floor(place / 32);
    for (const [code, mask] of masks) {
      if (character === null || character.codePointAt(0) === code) mask[word] = (mask[word] ?? 0) | bit;
    }
    if (character === null) any[word] = (any[word] ?? 0) | bit;
  }
  const whole = 1 << ((part.length - 1) % 32);
  return (text, from, to, look) => {
    const state = new Int32Array(words);
    let next = from;
    for (let at = from; at < to; ) {
      if (at >= next) {
        look();
        next = at + PIECE;
      }
      const code = text.codePointAt(at) ?? 0;
      const mask = masks.get(code) ?? any;
      let carried = 1;
      for (let word = 0; word < words; word += 1) {
        const before = state[word] ?? 0;
        state[word] = ((before << 1) | carried) & (mask[word] ?? 0);
        carried = before >>> 31;
      }
      at += code > 0xffff ? 2 : 1;
      if ((state[words - 1] ?? 0) & whole) return at;
    }
    return -1;
  };
}

/** Characters beyond U+FFFF have two code units. */
function widthBehind(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function widthBefore(text: string, at: number): number {
  return at >= 2 && at <= text.length && widthBehind(text, at - 2) === 2 ? 2 : 1;
}
