import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { parseJsonText } from '../kernel/parse-json.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { decodeText, type Encoding } from './encoding.ts';
import type { OpenBytes } from './line.ts';

/** A record of a file of objects. `number` counts from 1: lines of NDJSON, elements of an array. */
export interface Item {
  readonly number: number;
  readonly fields: Fields;
}

/**
 * The objects of NDJSON, one per line, one at a time. Empty lines are skipped.
 * @throws ServiceError ValidationError that names the line
 */
export async function* readNdjson(open: OpenBytes, encoding: Encoding): AsyncGenerator<Item> {
  let number = 0;
  let rest = '';
  for await (const text of decodeText(open, encoding)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LIMITS.importRowLength) throw tooLong('Line', number + lines.length + 1);
    for (const line of lines) {
      number += 1;
      if (line.trim() !== '') yield { number, fields: objectOf(line, 'Line', number) };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, fields: objectOf(rest, 'Line', number + 1) };
}

/**
 * The objects of a JSON array, or of the list `data` in an object, one at a time.
 * @throws ServiceError ValidationError that names the element
 */
export async function* readJson(open: OpenBytes, encoding: Encoding): AsyncGenerator<Item> {
  const splitter = new ArraySplitter();
  let number = 0;
  for await (const text of decodeText(open, encoding)) {
    for (const element of splitter.take(text)) {
      number += 1;
      yield { number, fields: objectOf(element, 'Element', number) };
    }
    if (splitter.waiting > LIMITS.importRowLength) throw tooLong('Element', number + 1);
  }
  if (!splitter.isComplete) {
    throw new ServiceError(
      'ValidationError',
      'The file is not a JSON array, or an object with a list "data"',
    );
  }
}

function objectOf(text: string, what: string, number: number): Fields {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError('ValidationError', `${what} ${number} is not valid JSON`);
  }
  if (isRecord(value)) return value;
  throw new ServiceError('ValidationError', `${what} ${number} is not an object`);
}

function tooLong(what: string, number: number): ServiceError {
  const most = LIMITS.importRowLength;
  return new ServiceError('ValidationError', `${what} ${number} is longer than ${most} characters`);
}

const START = /^\s*(?:\[|\{\s*"data"\s*:\s*\[)/;

/** Cuts the text of an array, which arrives in pieces, into the texts of its elements. */
class ArraySplitter {
  #text = '';
  #at = 0;
  #depth = 0;
  #isInside = false;
  #isQuoted = false;
  #state: 'before' | 'in' | 'after' = 'before';

  /** Characters of the element that is not complete. */
  get waiting(): number {
    return this.#text.length;
  }

  get isComplete(): boolean {
    return this.#state === 'after';
  }

  take(piece: string): readonly string[] {
    if (this.#state === 'after') return [];
    this.#text += piece;
    if (this.#state === 'before') {
      // Spaces would be searched again with each piece.
      this.#text = this.#text.trimStart();
      const start = START.exec(this.#text);
      if (!start) return [];
      this.#text = this.#text.slice(start[0].length);
      this.#state = 'in';
    }
    return this.#elements();
  }

  #elements(): readonly string[] {
    const elements: string[] = [];
    const text = this.#text;
    let begin = 0;
    let at = this.#at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isQuoted) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) this.#isQuoted = false;
        continue;
      }
      if (code === QUOTE) this.#isQuoted = true;
      else if (code === BRACE || code === BRACKET) this.#depth += 1;
      else if (this.#depth > 0 && (code === BRACE_END || code === BRACKET_END)) this.#depth -= 1;
      else if (this.#depth === 0 && (code === COMMA || code === BRACKET_END)) {
        const element = text.slice(begin, at);
        if (code === COMMA || this.#isInside || element.trim() !== '') elements.push(element);
        this.#isInside = code === COMMA;
        begin = at + 1;
        if (code === BRACKET_END) {
          this.#state = 'after';
          break;
        }
      }
    }
    this.#text = text.slice(begin);
    this.#at = at - begin;
    return elements;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
