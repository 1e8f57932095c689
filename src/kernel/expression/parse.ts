import { LIMITS } from '../limits.ts';
import {
  ATTRIBUTE_FILTERS,
  type Callable,
  EACHES,
  type EachName,
  FILTERS,
  FUNCTIONS,
  METHODS,
  NONE,
  type Node,
  ONE,
  type Operator,
} from './syntax.ts';
import { TokenReader } from './token-reader.ts';
import { quoted, refuseExpression, type Token } from './tokens.ts';
import {
  COMPARISONS,
  CONJUNCTION,
  CONSTANTS,
  DISJUNCTION,
  KEYWORDS,
  mayBeVariable,
  type Operators,
  PLAIN,
  PRODUCT,
  refuseName,
  SUM,
  type Vocabulary,
} from './vocabulary.ts';

/**
 * Parses an expression in either syntax.
 * @throws ServiceError ValidationError for invalid syntax, unknown names, and beyond the limits
 */
export function parseTree(source: string, vocabulary: Vocabulary = PLAIN): Node {
  if (source.length > LIMITS.expressionLength) {
    refuseExpression(`is longer than ${LIMITS.expressionLength} characters`);
  }
  // Removes a trailing semicolon, as in a JavaScript statement.
  return new Parser(new TokenReader(source.replace(/;\s*$/, '')), vocabulary).whole();
}

/** A recursive-descent parser, from the loosest operator to the tightest. */
class Parser {
  readonly #tokens: TokenReader;
  readonly #vocabulary: Vocabulary;
  /** The variables of the tests around the current place. */
  readonly #variables: string[] = [];
  #nodes = 0;
  #depth = 0;

  constructor(tokens: TokenReader, vocabulary: Vocabulary) {
    this.#tokens = tokens;
    this.#vocabulary = vocabulary;
  }

  whole(): Node {
    const node = this.#expression();
    if (this.#tokens.next.kind !== 'end') this.#tokens.unexpected();
    return node;
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
      refuseExpression(`is nested more than ${LIMITS.expressionDepth} deep`, this.#tokens.next.at);
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
      if (!this.#tokens.accept('word', 'if')) return then;
      const test = this.#disjunction();
      const otherwise = this.#tokens.accept('word', 'else') ? this.#expression() : null;
      return this.#node({ kind: 'choice', test, then, otherwise });
    });
  }

  #disjunction(): Node {
    return this.#leftToRight(DISJUNCTION, () => this.#conjunction());
  }

  #conjunction(): Node {
    return this.#leftToRight(CONJUNCTION, () => this.#negation());
  }

  /** Operands of operators with equal precedence. */
  #leftToRight(operators: Operators, operand: () => Node): Node {
    let left = operand();
    for (;;) {
      const operator = this.#tokens.acceptOperator(operators);
      if (!operator) return left;
      left = this.#binary(operator, left, operand());
    }
  }

  // Python's `not` binds looser than a comparison, and JavaScript's `!` binds tighter. Each keeps its
  // precedence.
  #negation(): Node {
    if (!this.#tokens.accept('word', 'not')) return this.#comparison();
    return this.#deeper(() => this.#node({ kind: 'not', of: this.#negation() }));
  }

  #comparison(): Node {
    const left = this.#sum();
    const operator = this.#comparisonOperator();
    if (!operator) return left;
    const node = this.#binary(operator, left, this.#isDefined(operator) ?? this.#sum());
    const { at } = this.#tokens.next;
    // `a < b < c` has different meanings in Python and JavaScript.
    if (this.#comparisonOperator()) refuseExpression('compares twice in a row: use parentheses', at);
    return node;
  }

  #comparisonOperator(): Operator | null {
    if (this.#tokens.accept('word', 'in')) return 'in';
    if (this.#tokens.accept('word', 'is')) {
      const same = !this.#tokens.accept('word', 'not');
      // `is defined` means `is not none`.
      return same === this.#tokens.is('word', 'defined') ? '!=' : '==';
    }
    if (this.#tokens.accept('word', 'not')) {
      if (!this.#tokens.accept('word', 'in')) this.#tokens.unexpected('in');
      return 'not in';
    }
    return this.#tokens.acceptOperator(COMPARISONS);
  }

  #isDefined(operator: Operator): Node | null {
    const before = this.#tokens.taken();
    if (operator !== '==' && operator !== '!=') return null;
    if (before?.kind !== 'word' || !this.#tokens.is('word', 'defined')) return null;
    return this.#literal(null);
  }

  #sum(): Node {
    return this.#leftToRight(SUM, () => this.#product());
  }

  #product(): Node {
    return this.#leftToRight(PRODUCT, () => this.#filtered());
  }

  #filtered(): Node {
    let node = this.#unary();
    while (this.#tokens.accept('sign', '|')) node = this.#filter(node);
    return node;
  }

  #filter(of: Node): Node {
    const token = this.#tokens.take();
    const filter = token.kind === 'word' ? FILTERS.get(token.text) : undefined;
    if (!filter) return refuseExpression(`has the unknown filter ${quoted(token.text)}`, token.at);
    let attribute: string | null = null;
    const args: Node[] = [];
    if (this.#tokens.accept('sign', '(')) {
      while (!this.#tokens.accept('sign', ')')) {
        if (ATTRIBUTE_FILTERS.has(filter.name) && this.#tokens.accept('word', 'attribute'))
          attribute = this.#attribute();
        else args.push(this.#expression());
        if (!this.#tokens.is('sign', ')')) this.#tokens.expect(',');
      }
    }
    if (args.length < filter.least || args.length > filter.most) {
      refuseExpression(`gives ${token.text} the wrong number of arguments`, token.at);
    }
    return this.#node({ kind: 'filter', name: filter.name, of, args, attribute });
  }

  #attribute(): string {
    this.#tokens.expect('=');
    const { kind, text } = this.#tokens.next;
    if (kind !== 'text') return this.#tokens.unexpected('a fieldname in quotes');
    this.#tokens.take();
    return text;
  }

  #unary(): Node {
    if (this.#tokens.accept('sign', '!')) {
      return this.#deeper(() => this.#node({ kind: 'not', of: this.#filtered() }));
    }
    if (this.#tokens.accept('sign', '-')) {
      return this.#deeper(() => this.#node({ kind: 'negative', of: this.#unary() }));
    }
    return this.#postfix();
  }

  #postfix(): Node {
    let node = this.#primary();
    for (;;) {
      // What is unset has no fields, with or without the question mark.
      const isOptional = this.#tokens.accept('sign', '?.');
      if (this.#tokens.accept('sign', '[')) {
        const index = this.#expression();
        this.#tokens.expect(']');
        node = this.#element(node, index);
      } else if (isOptional || this.#tokens.accept('sign', '.')) node = this.#member(node);
      else if (this.#tokens.is('sign', '(')) this.#tokens.unexpected();
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
    const token = this.#tokens.next;
    if (token.kind !== 'word') return this.#tokens.unexpected('a name');
    this.#tokens.take();
    if (!this.#tokens.is('sign', '(')) return this.#node({ kind: 'member', of, key: token.text });
    const asked = of.kind === 'name' && of.name === 'doc' ? this.#question(token) : null;
    if (asked) return asked;
    const each = EACHES.get(token.text);
    if (each) return this.#each(each, of);
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

  /** `(row => row.qty > 1)` or `((row) => row.qty > 1)`. */
  #each(name: EachName, of: Node): Node {
    this.#tokens.expect('(');
    const isGrouped = this.#tokens.accept('sign', '(');
    const { kind, text, at } = this.#tokens.take();
    if (kind !== 'word' || !mayBeVariable(text)) refuseExpression(`has ${name} without a variable`, at);
    if (isGrouped) this.#tokens.expect(')');
    this.#tokens.expect('=>');
    this.#variables.push(text);
    const test = this.#expression();
    this.#variables.pop();
    this.#tokens.expect(')');
    return this.#node({ kind: 'each', name, of, variable: text, test });
  }

  #args(callable: Callable<unknown>, token: Token): readonly Node[] {
    this.#tokens.expect('(');
    const args = this.#items(')');
    if (args.length < callable.least || args.length > callable.most) {
      refuseExpression(`gives ${token.text} the wrong number of arguments`, token.at);
    }
    return args;
  }

  /** Expressions separated by commas, up to the closing sign. A trailing comma is allowed. */
  #items(close: string): readonly Node[] {
    const items: Node[] = [];
    while (!this.#tokens.accept('sign', close)) {
      items.push(this.#expression());
      if (!this.#tokens.is('sign', close)) this.#tokens.expect(',');
    }
    return items;
  }

  #primary(): Node {
    const { kind, text } = this.#tokens.next;
    if (kind === 'text') return this.#literal(text);
    if (kind === 'number') return this.#literal(Number(text));
    if (kind === 'word') return this.#word();
    if (this.#tokens.accept('sign', '[')) return this.#node({ kind: 'list', items: this.#items(']') });
    if (this.#tokens.accept('sign', '(')) return this.#grouped();
    return this.#tokens.unexpected();
  }

  #literal(value: string | number | boolean | null): Node {
    this.#tokens.take();
    return this.#node({ kind: 'literal', value });
  }

  /** `(a)` is a; `(a,)` and `(a, b)` are lists, Python's tuples. */
  #grouped(): Node {
    const { at } = this.#tokens.next;
    const items = this.#items(')');
    const beforeClosing = this.#tokens.taken(2);
    const [only] = items;
    if (items.length === 1 && only && beforeClosing?.text !== ',') return only;
    if (items.length === 0) refuseExpression('has nothing between parentheses', at);
    return this.#node({ kind: 'list', items });
  }

  #word(): Node {
    const { text, at } = this.#tokens.next;
    const constant = CONSTANTS.get(text);
    if (constant !== undefined) return this.#literal(constant);
    if (KEYWORDS.has(text)) this.#tokens.unexpected();
    this.#tokens.take();
    if (this.#variables.includes(text)) return this.#node({ kind: 'variable', name: text });
    if (this.#vocabulary.locals.has(text)) return this.#node({ kind: 'local', name: text });
    if (text === 'doc' || text === 'parent') return this.#node({ kind: 'name', name: text });
    if (text === 'previous' && this.#vocabulary.before) return this.#node({ kind: 'name', name: text });
    if (text === 'frappe' && this.#vocabulary.boot) return this.#boot(at);
    const callable = FUNCTIONS.get(text);
    if (!callable || !this.#tokens.is('sign', '(')) return refuseName(text, at);
    return this.#node({
      kind: 'call',
      name: callable.name,
      args: this.#args(callable, { kind: 'word', text, at }),
    });
  }

  #boot(at: number): Node {
    const isMember = this.#tokens.accept('sign', '.') || this.#tokens.accept('sign', '?.');
    if (!isMember || !this.#tokens.accept('word', 'boot')) return refuseName('frappe', at);
    return this.#node({ kind: 'boot' });
  }
}
