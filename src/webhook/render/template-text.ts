import type { FilterName } from '../../kernel/expression/syntax.ts';
import { refuseExpression } from '../../kernel/expression/tokens.ts';
import { shownText, type Value } from '../../kernel/expression/values.ts';

/** The output of a template: escapes values for their position. */
export interface TemplateText {
  readonly text: string;
  /** The text has reached its limit; nothing more is added. */
  readonly isFull: boolean;
  /** Filters whose result is not escaped when they end an expression. */
  readonly ready: ReadonlySet<FilterName>;
  /** Adds text of the template itself, or a result that needs no escapes. */
  addText(text: string): void;
  addValue(value: Value): void;
}

/** JSON: escapes a value inside a string, and renders one outside as a JSON value. */
export class JsonText implements TemplateText {
  readonly #most: number;
  #text = '';
  #inString = false;

  constructor(most: number) {
    this.#most = most;
  }

  get text(): string {
    return this.#text;
  }

  get isFull(): boolean {
    return this.#text.length > this.#most;
  }

  get ready(): ReadonlySet<FilterName> {
    // Inside a string, JSON text is ordinary text.
    return this.#inString ? SAFE : SAFE_OR_JSON;
  }

  addText(text: string): void {
    if (hasOddQuotes(text)) this.#inString = !this.#inString;
    this.#text += text;
  }

  addValue(value: Value): void {
    this.#text += this.#inString ? JSON.stringify(shownText(value)).slice(1, -1) : JSON.stringify(value);
  }
}

const SAFE: ReadonlySet<FilterName> = new Set<FilterName>(['safe']);
const SAFE_OR_JSON: ReadonlySet<FilterName> = new Set<FilterName>(['safe', 'tojson']);
const SAFE_OR_ENCODED: ReadonlySet<FilterName> = new Set<FilterName>(['safe', 'urlencode']);

// Backslashes occur only inside strings, so an escaped quote is recognised without knowing the state at the
// start.
function hasOddQuotes(text: string): boolean {
  let odd = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at += 1;
    else if (character === 0x22) odd = !odd;
  }
  return odd;
}

/**
 * An address: a value at the start is the whole address, a value in the host must be part of a name, all
 * others are percent-encoded.
 */
export class UrlText implements TemplateText {
  readonly ready = SAFE_OR_ENCODED;
  readonly #most: number;
  #text = '';

  constructor(most: number) {
    this.#most = most;
  }

  get text(): string {
    return this.#text;
  }

  get isFull(): boolean {
    return this.#text.length > this.#most;
  }

  addText(text: string): void {
    this.#text += text;
  }

  addValue(value: Value): void {
    const text = shownText(value);
    if (this.#text.trim() === '') this.#text += text;
    else if (!/[/?#]/.test(this.#text.replace(SCHEME, ''))) {
      if (!HOST_PART.test(text))
        refuseExpression('puts characters into the host of the address that no host name can contain');
      this.#text += text;
    } else {
      // Even percent-encoded, dot segments would leave the path.
      if (text === '.' || text === '..')
        refuseExpression('puts a segment of only dots into the path of the address');
      this.#text += encodeURIComponent(text.toWellFormed());
    }
  }
}

const SCHEME = /^\s*[a-z]*:?\/{0,2}/i;
const HOST_PART = /^[\p{L}\p{N}._-]*(?::\d+)?$/u;
