import type { Operator } from './syntax.ts';
import { quoted, refuseExpression, type Token, tokenize } from './tokens.ts';
import type { Operators } from './vocabulary.ts';

/** Reads the tokens of an expression from left to right. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = tokenize(source);
  }

  get next(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (!token) throw new Error('tokens without an end');
    return token;
  }

  take(): Token {
    const token = this.next;
    this.#at += 1;
    return token;
  }

  /** The token taken this many steps ago. */
  taken(steps = 1): Token | undefined {
    return this.#tokens[this.#at - steps];
  }

  is(kind: 'word' | 'sign', text: string): boolean {
    return this.next.kind === kind && this.next.text === text;
  }

  accept(kind: 'word' | 'sign', text: string): boolean {
    if (!this.is(kind, text)) return false;
    this.#at += 1;
    return true;
  }

  acceptOperator(operators: Operators): Operator | null {
    const { kind, text } = this.next;
    const operator = kind === 'word' || kind === 'sign' ? operators.get(text) : undefined;
    if (!operator) return null;
    this.#at += 1;
    return operator;
  }

  expect(sign: string): void {
    if (!this.accept('sign', sign)) this.unexpected(sign);
  }

  unexpected(wanted?: string): never {
    const { kind, text, at } = this.next;
    const found = kind === 'end' ? 'ends' : `has ${quoted(text)}`;
    const missing = wanted === undefined ? 'something else belongs' : `${JSON.stringify(wanted)} belongs`;
    return refuseExpression(`${found} where ${missing}`, at);
  }
}
