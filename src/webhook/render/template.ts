import { ServiceError } from '../../kernel/errors.ts';
import { type Expression, parseExpression } from '../../kernel/expression/expression.ts';
import type { Node } from '../../kernel/expression/syntax.ts';
import { refuseExpression } from '../../kernel/expression/tokens.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { parsePieces } from './template-pieces.ts';

/** A template: Jinja's `{{ }}`, `if`, `for` and `set`, with expressions. Data, never code. */
export interface Template {
  readonly parts: readonly Part[];
  /** Fields of the document that it uses, each once. */
  readonly fields: readonly string[];
  /** Fields of rows that its loops use, as `table.field`. */
  readonly rowFields: readonly string[];
  /** It uses the document before the change. */
  readonly usesPrevious: boolean;
  /** The text between values is the same for every document. */
  readonly isFixed: boolean;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | { readonly kind: 'if'; readonly branches: readonly Branch[] }
  | Loop
  | { readonly kind: 'set'; readonly name: string; readonly value: Expression };

export interface Loop {
  readonly kind: 'for';
  readonly variable: string;
  readonly list: Expression;
  readonly body: readonly Part[];
  /** Rendered when the list is empty. */
  readonly otherwise: readonly Part[];
}

export interface Branch {
  /** Null for `else`. */
  readonly test: Expression | null;
  readonly body: readonly Part[];
}

/** @throws ServiceError ValidationError, with the line, for an invalid template or one above a limit */
export function parseTemplate(source: string): Template {
  if (source.length > LIMITS.templateLength) {
    refuseExpression(`is longer than ${LIMITS.templateLength} characters`);
  }
  return new TemplateParser(source).whole();
}

/** Variables in scope; for the variable of a loop, also its table. */
type Locals = Map<string, string | null>;

/** The statement that ends a block. */
interface Ending {
  readonly parts: readonly Part[];
  readonly word: string;
  /** The text behind the keyword. */
  readonly rest: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Reserved words of expressions, and names that they cannot contain. */
const TAKEN: ReadonlySet<string> = new Set(
  ['doc', 'parent', 'previous', 'loop', 'and', 'or', 'not', 'in', 'is', 'if', 'else'].concat([
    ...['true', 'True', 'false', 'False', 'none', 'None', 'null', 'undefined', 'defined'],
  ]),
);

class TemplateParser {
  readonly #pieces: ReturnType<typeof parsePieces>;
  readonly #fields = new Set<string>();
  readonly #rowFields = new Set<string>();
  #at = 0;
  #parts = 0;
  #depth = 0;
  #isFixed = true;
  #usesPrevious = false;

  constructor(source: string) {
    this.#pieces = parsePieces(source);
  }

  whole(): Template {
    const { parts, word } = this.#block(new Map());
    if (word !== '') this.#refuse(`has ${word} without its beginning`);
    return Object.freeze({
      parts,
      fields: [...this.#fields],
      rowFields: [...this.#rowFields],
      isFixed: this.#isFixed,
      usesPrevious: this.#usesPrevious,
    });
  }

  /** Parses parts up to a statement that ends or divides a block, or to the end of the template. */
  #block(locals: Locals): Ending {
    const parts: Part[] = [];
    for (;;) {
      const piece = this.#pieces[this.#at];
      if (!piece) return { parts, word: '', rest: '' };
      this.#at += 1;
      if (piece.kind === 'text') {
        this.#count();
        parts.push({ kind: 'text', text: piece.text });
      } else if (piece.kind === 'output') {
        this.#count();
        const value = this.#expression(piece.text, locals);
        if (mayBeStructure(value.tree)) this.#isFixed = false;
        parts.push({ kind: 'output', value });
      } else {
        const [, word = '', rest = ''] = /^(\w*)\s*(.*)$/s.exec(piece.text) ?? [];
        if (ENDINGS.has(word)) return { parts, word, rest };
        parts.push(this.#statement(word, rest, locals));
      }
    }
  }

  #statement(word: string, rest: string, locals: Locals): Part {
    this.#count();
    if (word === 'set') return this.#set(rest, locals);
    if (word !== 'if' && word !== 'for') {
      return this.#refuse(`has the unknown statement ${JSON.stringify(word.slice(0, 50))}`);
    }
    this.#isFixed = false;
    this.#depth += 1;
    if (this.#depth > LIMITS.templateDepth) this.#refuse(`has blocks more than ${LIMITS.templateDepth} deep`);
    const part = word === 'if' ? this.#if(rest, locals) : this.#for(rest, locals);
    this.#depth -= 1;
    return part;
  }

  #set(rest: string, locals: Locals): Part {
    const [, name = '', value = ''] = /^(\w+)\s*=(?!=)(.*)$/s.exec(rest) ?? [];
    this.#checkName(name);
    const expression = this.#expression(value, locals);
    locals.set(name, null);
    return { kind: 'set', name, value: expression };
  }

  #if(rest: string, locals: Locals): Part {
    const branches: Branch[] = [];
    let test: Expression | null = this.#expression(rest, locals);
    for (;;) {
      const { parts, word, rest: next } = this.#block(locals);
      branches.push({ test, body: parts });
      if (word === 'endif') return { kind: 'if', branches };
      if (test === null || (word !== 'elif' && word !== 'else')) this.#refuse('has an if without its endif');
      test = word === 'elif' ? this.#expression(next, locals) : null;
    }
  }

  #for(rest: string, locals: Locals): Part {
    const [, variable = '', source = ''] = /^(\w+)\s+in\s+(.*)$/s.exec(rest) ?? [];
    this.#checkName(variable);
    const list = this.#expression(source, locals);
    // The variables of a loop end with it.
    const body = this.#block(new Map(locals).set(variable, tableOf(list.tree)).set('loop', null));
    const otherwise = body.word === 'else' ? this.#block(new Map(locals)) : null;
    if ((otherwise ?? body).word !== 'endfor') this.#refuse('has a for without its endfor');
    return { kind: 'for', variable, list, body: body.parts, otherwise: otherwise?.parts ?? [] };
  }

  #checkName(name: string): void {
    if (!NAME.test(name) || TAKEN.has(name)) {
      this.#refuse(`cannot name something ${JSON.stringify(name.slice(0, 50))}`);
    }
  }

  #expression(source: string, locals: Locals): Expression {
    try {
      const expression = parseExpression(source, { before: true, locals });
      for (const fieldname of expression.fields) this.#fields.add(fieldname);
      for (const field of expression.localFields) this.#noteRowField(field, locals);
      if (expression.usesPrevious) this.#usesPrevious = true;
      if (expression.usesParent) this.#refuse('uses parent, which only a row has');
      return expression;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ServiceError('ValidationError', `Line ${this.#line}: ${error.message}`);
    }
  }

  #noteRowField(field: string, locals: Locals): void {
    const dot = field.indexOf('.');
    const table = locals.get(field.slice(0, dot));
    if (table) this.#rowFields.add(table + field.slice(dot));
  }

  #count(): void {
    this.#parts += 1;
    if (this.#parts > LIMITS.templateParts) this.#refuse(`has more than ${LIMITS.templateParts} parts`);
  }

  get #line(): number {
    return this.#pieces[this.#at - 1]?.line ?? 1;
  }

  #refuse(problem: string): never {
    throw new ServiceError('ValidationError', `Line ${this.#line}: the template ${problem}`);
  }
}

const ENDINGS: ReadonlySet<string> = new Set(['elif', 'else', 'endif', 'endfor']);

// Literals of the template, and values declared safe, may contain anything.
function mayBeStructure(tree: Node): boolean {
  if (tree.kind === 'filter') return tree.name === 'safe';
  return tree.kind === 'choice' || tree.kind === 'literal' || tree.kind === 'binary';
}

function tableOf(list: Node): string | null {
  const isField = list.kind === 'member' && list.of.kind === 'name' && list.of.name !== 'parent';
  return isField ? list.key : null;
}
