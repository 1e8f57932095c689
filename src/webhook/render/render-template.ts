import { type ExpressionBudget, spend } from '../../kernel/expression/budget.ts';
import { evaluateTree, type Scope } from '../../kernel/expression/evaluate.ts';
import type { Node } from '../../kernel/expression/syntax.ts';
import { asValue, isTruthy, shownText, type Value } from '../../kernel/expression/values.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Branch, Loop, Part, Template } from './template.ts';
import { JsonText, type TemplateText, UrlText } from './template-text.ts';

/**
 * Renders a template for one document. Each value is escaped for its position.
 * @returns null when the text would exceed `most` characters
 * @throws ServiceError ValidationError when it takes too much work, or a value is not allowed in its position
 */
export function renderTemplate(
  template: Template,
  into: 'json' | 'url',
  scope: Scope,
  most: number,
): string | null {
  const out = into === 'json' ? new JsonText(most) : new UrlText(most);
  const budget = { steps: 0, mostSteps: LIMITS.templateSteps, mostText: LIMITS.templateText };
  const locals = new Map<string, Value>();
  new Rendering(out, budget, scope).write(template.parts, locals);
  return out.isFull ? null : out.text;
}

class Rendering {
  readonly #out: TemplateText;
  readonly #budget: ExpressionBudget;
  readonly #scope: Scope;

  constructor(out: TemplateText, budget: ExpressionBudget, scope: Scope) {
    this.#out = out;
    this.#budget = budget;
    this.#scope = scope;
  }

  write(parts: readonly Part[], locals: Map<string, Value>): void {
    const scope = { ...this.#scope, locals };
    for (const part of parts) {
      if (this.#out.isFull) return;
      spend(this.#budget, 1);
      this.#part(part, scope, locals);
    }
  }

  #part(part: Part, scope: Scope, locals: Map<string, Value>): void {
    if (part.kind === 'text') this.#out.addText(part.text);
    else if (part.kind === 'output') this.#output(part.value.tree, scope);
    else if (part.kind === 'set') locals.set(part.name, this.#evaluate(part.value.tree, scope));
    else if (part.kind === 'for') this.#for(part, scope, locals);
    else {
      const holds = ({ test }: Branch) => test === null || isTruthy(this.#evaluate(test.tree, scope));
      this.write(part.branches.find(holds)?.body ?? [], locals);
    }
  }

  #for(part: Loop, scope: Scope, locals: ReadonlyMap<string, Value>): void {
    const list = this.#evaluate(part.list.tree, scope);
    const items: readonly unknown[] = Array.isArray(list) ? list : [];
    if (items.length === 0) this.write(part.otherwise, new Map(locals));
    for (const [index, item] of items.entries()) {
      if (this.#out.isFull) return;
      spend(this.#budget, 4 + locals.size);
      const inner = new Map(locals).set(part.variable, asValue(item));
      this.write(part.body, inner.set('loop', loopState(index, items.length)));
    }
  }

  #output(tree: Node, scope: Scope): void {
    const source = this.#sourceOf(tree, scope);
    if (source === null) return;
    const value = this.#evaluate(source, scope);
    if (isText(source) || (source.kind === 'filter' && this.#out.ready.has(source.name))) {
      this.#out.addText(shownText(value));
    } else this.#out.addValue(value);
  }

  /**
   * The node of an expression that provides its value. A literal of the template is structure, such as the
   * comma of `"," if not loop.last`, and is not escaped. Null when a choice leaves out such a literal.
   */
  #sourceOf(tree: Node, scope: Scope): Node | null {
    if (tree.kind === 'choice') {
      if (isTruthy(this.#evaluate(tree.test, scope))) return this.#sourceOf(tree.then, scope);
      if (tree.otherwise) return this.#sourceOf(tree.otherwise, scope);
      return isText(tree.then) ? null : NULL;
    }
    if (tree.kind === 'binary' && (tree.operator === 'or' || tree.operator === 'and')) {
      const isLeft = isTruthy(this.#evaluate(tree.left, scope)) === (tree.operator === 'or');
      return this.#sourceOf(isLeft ? tree.left : tree.right, scope);
    }
    return tree;
  }

  #evaluate(tree: Node, scope: Scope): Value {
    return evaluateTree(tree, scope, this.#budget);
  }
}

const NULL: Node = { kind: 'literal', value: null };

function isText(node: Node): boolean {
  return node.kind === 'literal' && typeof node.value === 'string';
}

/** The variables of a loop, under Jinja's names. */
function loopState(index: number, length: number): Record<string, Value> {
  return { index: index + 1, index0: index, first: index === 0, last: index === length - 1, length };
}
