import { evaluateTree, type Scope } from './evaluate.ts';
import { parseTree } from './parse.ts';
import type { Node } from './syntax.ts';
import { refuseExpression } from './tokens.ts';
import { isTruthy } from './values.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * A user-written expression about a document: parsed once, bounded, and never code. See docs/expressions.md.
 */
export interface Expression {
  readonly tree: Node;
  /** The distinct fields of `doc` and `previous` in the expression. */
  readonly fields: readonly string[];
  /** Fields of template variables, as `name.field`. */
  readonly localFields: readonly string[];
  /** The expression reads the parent document of a row. */
  readonly usesParent: boolean;
  /** The expression reads the document before the change. */
  readonly usesPrevious: boolean;
}

/**
 * Parses an expression in the syntax of JavaScript or Python: `doc.status === "Open" && !doc.disabled`,
 * `doc.status in ("Open", "Paid") and not doc.disabled`.
 * @throws ServiceError ValidationError
 */
export function parseExpression(source: string, vocabulary?: Vocabulary): Expression {
  const tree = parseTree(source, vocabulary);
  const fields = new Set<string>();
  const localFields = new Set<string>();
  let usesParent = false;
  let usesPrevious = false;
  const visit = (node: Node): void => {
    if (node.kind === 'name' && node.name === 'parent') usesParent = true;
    if (node.kind === 'name' && node.name === 'previous') usesPrevious = true;
    if (node.kind === 'changed') fields.add(node.key);
    if (node.kind === 'member' && node.of.kind === 'name' && node.of.name !== 'parent') fields.add(node.key);
    if (node.kind === 'member' && node.of.kind === 'local') localFields.add(`${node.of.name}.${node.key}`);
    for (const inner of partsOf(node)) visit(inner);
  };
  visit(tree);
  return Object.freeze({
    tree,
    fields: [...fields],
    localFields: [...localFields],
    usesParent,
    usesPrevious,
  });
}

/**
 * Parses the `…depends_on` of a field: `eval:` and an expression, or a fieldname, which tests whether the
 * field is set.
 * @throws ServiceError ValidationError
 */
export function parseDependsOn(source: string, vocabulary?: Vocabulary): Expression {
  const text = source.trim();
  if (/^fn:/i.test(text)) refuseExpression('begins with "fn:", which would call code');
  if (/^eval:/i.test(text)) return parseExpression(text.slice('eval:'.length), vocabulary);
  const isFieldname = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
  return parseExpression(isFieldname ? `doc.${text}` : text, vocabulary);
}

/**
 * Whether the expression is true of a document. Deterministic: equal documents give equal results.
 * @throws ServiceError ValidationError when it takes too many steps
 */
export function holds(expression: Expression, scope: Scope): boolean {
  return isTruthy(evaluateTree(expression.tree, scope));
}

function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
    case 'local':
    case 'changed':
    case 'boot':
    case 'variable':
      return [];
    case 'each':
      return [node.of, node.test];
    case 'choice':
      return node.otherwise ? [node.test, node.then, node.otherwise] : [node.test, node.then];
    case 'filter':
      return [node.of, ...node.args];
    case 'member':
    case 'not':
    case 'negative':
      return [node.of];
    case 'index':
      return [node.of, node.at];
    case 'list':
      return node.items;
    case 'call':
      return node.args;
    case 'method':
      return [node.of, ...node.args];
    case 'binary':
      return [node.left, node.right];
  }
}
