import { evaluateTree, type Scope } from './evaluate.ts';
import { parseTree } from './parse.ts';
import type { Node } from './syntax.ts';
import { refuseExpression } from './tokens.ts';
import { isTruthy } from './values.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A question about a document that a person wrote: parsed once, bounded, never code. See docs/expressions.md. */
export interface Expression {
  readonly tree: Node;
  /** Fields of `doc`, and of `previous`, that it names, once each. */
  readonly fields: readonly string[];
  /** Fields of what a template has given names, as `name.field`. */
  readonly localFields: readonly string[];
  /** It asks the document that holds a row. */
  readonly usesParent: boolean;
  /** It asks what the document was before. */
  readonly usesPrevious: boolean;
}

/**
 * An expression in JavaScript's or Python's manner: `doc.status === "Open" && !doc.disabled`,
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
 * The `…depends_on` of a field: `eval:` and an expression, or a fieldname, which asks whether that field is set.
 * @throws ServiceError ValidationError
 */
export function parseDependsOn(source: string): Expression {
  const text = source.trim();
  if (/^fn:/i.test(text)) refuseExpression('begins with "fn:", which would call code');
  if (/^eval:/i.test(text)) return parseExpression(text.slice('eval:'.length));
  const isFieldname = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
  return parseExpression(isFieldname ? `doc.${text}` : text);
}

/**
 * Whether the expression is true of a document. The same document always gives the same answer.
 * @throws ServiceError ValidationError when it takes too much work
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
      return [];
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
