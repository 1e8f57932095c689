import { LIMITS } from '../limits.ts';
import {
  ATTRIBUTE_FILTERS,
  type Callable,
  FILTERS,
  FUNCTIONS,
  METHODS,
  type Node,
  type Operator,
} from './syntax.ts';
import { refuseExpression, type Token, tokenize } from './tokens.ts';
import { COMPARISONS, CONSTANTS, KEYWORDS, PLAIN, SERVERS, type Vocabulary } from './vocabulary.ts';

/**
 * Parses an expression in either syntax.
 * @throws ServiceError ValidationError for invalid syntax, unknown names, and beyond the limits
 */
export function parseTree(source: string, vocabulary: Vocabulary = PLAIN): Node {
  if (source.length > LIMITS.expressionLength) {
    refuseExpression(`is longer than ${LIMITS.expressionLength} characters`);
  }
  // Removes a trailing semicolon, as in a JavaScript statement.
  return new Parser(tokenize(source.replace(/;\s*$/, '')), vocabulary).whole();
}

/** A recursive-descent parser, from the loosest operator to the tightest. */
class Parser {
  readonly #tokens: readonly Token[];
  readonly #vocabulary: Vocabulary;
  #at = 0;
  #nodes = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], vocabulary: Vocabulary) {
    this.#tokens = tokens;
    this.#vocabulary = vocabulary;
  }

  whole(): Node {
    const node = this.#expression();
    if (this.#next.kind !== 'end') this.#unexpected();
    return node;
  }

  get #next(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (!token) throw new Error('tokens without an end');
    return token;
  }

  #take(): Token {
    const token = this.#next;
    this.#at += 1;
    return token;
  }

  #is(kind: 'word' | 'sign', text: string): boolean {
    return this.#next.kind === kind && this.#next.text === text;
  }

  #accept(kind: 'word' | 'sign', text: string): boolean {
    if (!this.#is(kind, text)) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#accept('sign', sign)) this.#unexpected(sign);
  }

  #unexpected(wanted?: string): never {
    const { kind, text, at } = this.#next;
    const found = kind === 'end' ? 'ends' : `has ${JSON.stringify(text.slice(0, 50).toWellFormed())}`;
    const missing = wanted === undefined ? 'something else belongs' : `${JSON.stringify(wanted)} belongs`;
    return refuseExpression(`${found} where ${missing}`, at);
  }

  #node(node: Node): Node {
    this.#nodes += 1;
    if (this.#nodes > LIMITS.expressionNodes) {
      refuseExpression(`has more than ${LIMITS.expressionNodes} parts`);
    }
    return node;
  }

  // All nesting passes through this method, so that no source can overflow the stack.
  #deeper<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > LIMITS.expressionDepth) {
      refuseExpression(`is nested more than ${LIMITS.expressionDepth} deep`, this.#next.at);
    }
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #binary(operator: Operator, left: Node, right: Node): Node {
    return this.#node({ kind: 'binary', operator, left, right });
  }

  #expression(): Node {
    return this.#deeper(() => {
      const then = this.#disjunction();
      if (!this.#accept('word', 'if')) return then;
      const test = this.#disjunction();
      const otherwise = this.#accept('word', 'else') ? this.#expression() : null;
      return this.#node({ kind: 'choice', test, then, otherwise });
    });
  }

  #disjunction(): Node {
    let left = this.#conjunction();
    while (this.#accept('sign', '||') || this.#accept('word', 'or')) {
      left = this.#binary('or', left, this.#conjunction());
    }
    return left;
  }

  #conjunction(): Node {
    let left = this.#negation();
    while (this.#accept('sign', '&&') || this.#accept('word', 'and')) {
      left = this.#binary('and', left, this.#negation());
    }
    return left;
  }

  // Python's `not` binds looser than a comparison, and JavaScript's `!` binds tighter. Each keeps its
  // precedence.
  #negation(): Node {
    if (!this.#accept('word', 'not')) return this.#comparison();
    return this.#deeper(() => this.#node({ kind: 'not', of: this.#negation() }));
  }

  #comparison(): Node {
    const left = this.#sum();
    const operator = this.#comparisonOperator();
    if (!operator) return left;
    const node = this.#binary(operator, left, this.#isDefined(operator) ?? this.#sum());
    const { at } = this.#next;
    // `a < b < c` has different meanings in Python and JavaScript.
    if (this.#comparisonOperator()) refuseExpression('compares twice in a row: use parentheses', at);
    return node;
  }

  #comparisonOperator(): Operator | null {
    if (this.#accept('word', 'in')) return 'in';
    if (this.#accept('word', 'is')) {
      const same = !this.#accept('word', 'not');
      // `is defined` means `is not none`.
      return same === this.#is('word', 'defined') ? '!=' : '==';
    }
    if (this.#accept('word', 'not')) {
      if (!this.#accept('word', 'in')) this.#unexpected('in');
      return 'not in';
    }
    const operator = this.#next.kind === 'sign' ? COMPARISONS.get(this.#next.text) : undefined;
    if (!operator) return null;
    this.#at += 1;
    return operator;
  }

  #isDefined(operator: Operator): Node | null {
    const before = this.#tokens[this.#at - 1];
    if (operator !== '==' && operator !== '!=') return null;
    if (before?.kind !== 'word' || !this.#is('word', 'defined')) return null;
    return this.#literal(null);
  }

  #sum(): Node {
    let left = this.#product();
    for (;;) {
      if (this.#accept('sign', '+')) left = this.#binary('+', left, this.#product());
      else if (this.#accept('sign', '-')) left = this.#binary('-', left, this.#product());
      else if (this.#accept('sign', '~')) left = this.#binary('~', left, this.#product());
      else return left;
    }
  }

  #product(): Node {
    let left = this.#filtered();
    for (;;) {
      if (this.#accept('sign', '*')) left = this.#binary('*', left, this.#filtered());
      else if (this.#accept('sign', '/')) left = this.#binary('/', left, this.#filtered());
      else if (this.#accept('sign', '%')) left = this.#binary('%', left, this.#filtered());
      else return left;
    }
  }

  #filtered(): Node {
    let node = this.#unary();
    while (this.#accept('sign', '|')) node = this.#filter(node);
    return node;
  }

  #filter(of: Node): Node {
    const token = this.#take();
    const filter = token.kind === 'word' ? FILTERS.get(token.text) : undefined;
    if (!filter) return refuseExpression(`has the unknown filter ${shortly(token.text)}`, token.at);
    let attribute: string | null = null;
    const args: Node[] = [];
    if (this.#accept('sign', '(')) {
      while (!this.#accept('sign', ')')) {
        if (ATTRIBUTE_FILTERS.has(filter.name) && this.#accept('word', 'attribute'))
          attribute = this.#attribute();
        else args.push(this.#expression());
        if (!this.#is('sign', ')')) this.#expect(',');
      }
    }
    if (args.length < filter.least || args.length > filter.most) {
      refuseExpression(`gives ${token.text} the wrong number of arguments`, token.at);
    }
    return this.#node({ kind: 'filter', name: filter.name, of, args, attribute });
  }

  #attribute(): string {
    this.#expect('=');
    const { kind, text } = this.#next;
    if (kind !== 'text') return this.#unexpected('a fieldname in quotes');
    this.#at += 1;
    return text;
  }

  #unary(): Node {
    if (this.#accept('sign', '!')) {
      return this.#deeper(() => this.#node({ kind: 'not', of: this.#filtered() }));
    }
    if (this.#accept('sign', '-')) {
      return this.#deeper(() => this.#node({ kind: 'negative', of: this.#unary() }));
    }
    return this.#postfix();
  }

  #postfix(): Node {
    let node = this.#primary();
    for (;;) {
      if (this.#accept('sign', '.')) node = this.#member(node);
      else if (this.#accept('sign', '[')) {
        const index = this.#expression();
        this.#expect(']');
        node = this.#element(node, index);
      } else if (this.#is('sign', '(')) this.#unexpected();
      else return node;
    }
  }

  #element(of: Node, at: Node): Node {
    if (at.kind === 'literal' && typeof at.value === 'string') {
      return this.#node({ kind: 'member', of, key: at.value });
    }
    return this.#node({ kind: 'index', of, at });
  }

  #member(of: Node): Node {
    const token = this.#take();
    if (token.kind !== 'word') {
      this.#at -= 1;
      this.#unexpected('a name');
    }
    if (!this.#is('sign', '(')) return this.#node({ kind: 'member', of, key: token.text });
    const asked = of.kind === 'name' && of.name === 'doc' ? this.#question(token) : null;
    if (asked) return asked;
    const method = METHODS.get(token.text);
    if (!method) return refuseExpression(`calls ${token.text.slice(0, 50)}, which is not allowed`, token.at);
    const args = this.#args(method, token);
    const [field] = args;
    if (method.name === 'get' && args.length === 1 && field) return this.#element(of, field);
    return this.#node({ kind: 'method', name: method.name, of, args });
  }

  /** Methods of Frappe's documents that report their own change. */
  #question(token: Token): Node | null {
    if (!this.#vocabulary.before) return null;
    if (token.text === 'has_value_changed') {
      const [field] = this.#args(ONE, token);
      if (field?.kind === 'literal' && typeof field.value === 'string') {
        return this.#node({ kind: 'changed', key: field.value });
      }
      return refuseExpression(
        'asks has_value_changed for something other than a fieldname in quotes',
        token.at,
      );
    }
    if (token.text !== 'is_new' && token.text !== 'get_doc_before_save') return null;
    this.#args(NONE, token);
    if (token.text === 'get_doc_before_save') return this.#node({ kind: 'name', name: 'previous' });
    return this.#node({ kind: 'member', of: this.#node({ kind: 'name', name: 'doc' }), key: '__islocal' });
  }

  #args(callable: Callable<unknown>, token: Token): readonly Node[] {
    this.#expect('(');
    const args = this.#items(')');
    if (args.length < callable.least || args.length > callable.most) {
      refuseExpression(`gives ${token.text} the wrong number of arguments`, token.at);
    }
    return args;
  }

  /** Expressions separated by commas, up to the closing sign. A trailing comma is allowed. */
  #items(close: string): readonly Node[] {
    const items: Node[] = [];
    while (!this.#accept('sign', close)) {
      items.push(this.#expression());
      if (!this.#is('sign', close)) this.#expect(',');
    }
    return items;
  }

  #primary(): Node {
    const { kind, text } = this.#next;
    if (kind === 'text') return this.#literal(text);
    if (kind === 'number') return this.#literal(Number(text));
    if (kind === 'word') return this.#word();
    if (this.#accept('sign', '[')) return this.#node({ kind: 'list', items: this.#items(']') });
    if (this.#accept('sign', '(')) return this.#grouped();
    return this.#unexpected();
  }

  #literal(value: string | number | boolean | null): Node {
    this.#at += 1;
    return this.#node({ kind: 'literal', value });
  }

  /** `(a)` is a; `(a,)` and `(a, b)` are lists, Python's tuples. */
  #grouped(): Node {
    const { at } = this.#next;
    const items = this.#items(')');
    const closing = this.#tokens[this.#at - 2];
    const [only] = items;
    if (items.length === 1 && only && closing?.text !== ',') return only;
    if (items.length === 0) refuseExpression('has nothing between parentheses', at);
    return this.#node({ kind: 'list', items });
  }

  #word(): Node {
    const { text, at } = this.#next;
    const constant = CONSTANTS.get(text);
    if (constant !== undefined) return this.#literal(constant);
    if (KEYWORDS.has(text)) this.#unexpected();
    this.#at += 1;
    if (this.#vocabulary.locals.has(text)) return this.#node({ kind: 'local', name: text });
    if (text === 'doc' || text === 'parent') return this.#node({ kind: 'name', name: text });
    if (text === 'previous' && this.#vocabulary.before) return this.#node({ kind: 'name', name: text });
    const callable = FUNCTIONS.get(text);
    if (!callable || !this.#is('sign', '(')) return this.#unknown(text, at);
    return this.#node({
      kind: 'call',
      name: callable.name,
      args: this.#args(callable, { kind: 'word', text, at }),
    });
  }

  #unknown(text: string, at: number): never {
    const reason = SERVERS.has(text)
      ? ' (an expression sees only the document, and no function of the server)'
      : '';
    return refuseExpression(`has the unknown name ${shortly(text)}${reason}`, at);
  }
}

function shortly(text: string): string {
  return JSON.stringify(text.slice(0, 50).toWellFormed());
}

const NONE: Callable<null> = { name: null, least: 0, most: 0 };
const ONE: Callable<null> = { name: null, least: 1, most: 1 };
