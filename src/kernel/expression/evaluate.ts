import { isRecord } from '../value.ts';
import { bounded, type ExpressionBudget, expressionBudget, spend } from './budget.ts';
import { applyFilter } from './filters.ts';
import type { FunctionName, MethodName, Node, Operator } from './syntax.ts';
import {
  asValue,
  elementOf,
  isEqual,
  isOrdered,
  isTruthy,
  memberOf,
  numberOf,
  numberOr,
  shownText,
  textOf,
  type Value,
} from './values.ts';

/** The data of an expression. It is read and never changed. */
export interface Scope {
  /** A document, or a row of a child table. */
  readonly doc: Readonly<Record<string, unknown>>;
  /** For a row, the document that holds it. */
  readonly parent?: Readonly<Record<string, unknown>>;
  /** The document is being created: the value of `doc.__islocal`. */
  readonly isNew?: boolean;
  /** The document before the change; absent for a new one. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** Whether a field's value has changed: the value of `doc.has_value_changed()`. */
  hasChanged?(fieldname: string): boolean;
  /** The variables of a template, or of the tests around the current place. */
  readonly locals?: ReadonlyMap<string, Value>;
  /** The value of `frappe.boot`; on the server unset. */
  readonly boot?: Readonly<Record<string, unknown>>;
}

/**
 * Evaluates a tree. An operation without meaning for its values gives null, which is false.
 * @throws ServiceError ValidationError when it takes too many steps
 */
export function evaluateTree(node: Node, scope: Scope, budget: ExpressionBudget = expressionBudget()): Value {
  return evaluate(node, scope, budget);
}

function evaluate(node: Node, scope: Scope, budget: ExpressionBudget): Value {
  spend(budget, 1);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'name':
      return asValue(scope[node.name]);
    case 'local':
    case 'variable':
      return scope.locals?.get(node.name) ?? null;
    case 'boot':
      return asValue(scope.boot);
    case 'each':
      return testEach(node, evaluate(node.of, scope, budget), scope, budget);
    case 'member':
      if (node.of.kind === 'name' && node.of.name === 'doc' && LOCAL.has(node.key))
        return scope.isNew ? 1 : 0;
      return memberOf(evaluate(node.of, scope, budget), node.key);
    case 'index':
      return elementOf(evaluate(node.of, scope, budget), evaluate(node.at, scope, budget));
    case 'list':
      return node.items.map((item) => evaluate(item, scope, budget));
    case 'not':
      return !isTruthy(evaluate(node.of, scope, budget));
    case 'negative':
      return numberOr(numberOf(evaluate(node.of, scope, budget)), (number) => -number);
    case 'call':
      return callFunction(
        node.name,
        node.args.map((arg) => evaluate(arg, scope, budget)),
        budget,
      );
    case 'method':
      return callMethod(
        node.name,
        evaluate(node.of, scope, budget),
        node.args.map((arg) => evaluate(arg, scope, budget)),
        budget,
      );
    case 'changed':
      return scope.hasChanged?.(node.key) ?? false;
    case 'choice':
      if (isTruthy(evaluate(node.test, scope, budget))) return evaluate(node.then, scope, budget);
      return node.otherwise && evaluate(node.otherwise, scope, budget);
    case 'filter':
      return applyFilter(
        node.name,
        evaluate(node.of, scope, budget),
        node.args.map((arg) => evaluate(arg, scope, budget)),
        node.attribute,
        budget,
      );
    case 'binary':
      return evaluateBinary(node.operator, node.left, node.right, scope, budget);
  }
}

/** Of no list: null. */
function testEach(
  { name, variable, test }: Extract<Node, { readonly kind: 'each' }>,
  list: Value,
  scope: Scope,
  budget: ExpressionBudget,
): Value {
  if (!Array.isArray(list)) return null;
  const holds = (item: unknown) => {
    const locals = new Map(scope.locals).set(variable, asValue(item));
    return isTruthy(evaluate(test, { ...scope, locals }, budget));
  };
  return name === 'some' ? list.some(holds) : list.every(holds);
}

/** Frappe's forms mark an unsaved document with these fields. */
const LOCAL: ReadonlySet<string> = new Set(['__islocal', '__unsaved']);

function evaluateBinary(
  operator: Operator,
  leftNode: Node,
  rightNode: Node,
  scope: Scope,
  budget: ExpressionBudget,
): Value {
  const left = evaluate(leftNode, scope, budget);
  if (operator === 'and') return isTruthy(left) ? evaluate(rightNode, scope, budget) : left;
  if (operator === 'or') return isTruthy(left) ? left : evaluate(rightNode, scope, budget);
  const right = evaluate(rightNode, scope, budget);
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return positionIn(right, left, budget) >= 0;
    case 'not in':
      return positionIn(right, left, budget) < 0;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(operator, left, right);
    case '+':
      return add(left, right, budget);
    case '~':
      return bounded(shownText(left) + shownText(right), budget);
    default:
      return numberOr(numberOf(left), (a) => numberOr(numberOf(right), (b) => calculate(operator, a, b)));
  }
}

function calculate(operator: Operator, a: number, b: number): number | null {
  switch (operator) {
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? null : a / b;
    case '%':
      return b === 0 ? null : a % b;
    default:
      return null;
  }
}

function add(left: Value, right: Value, budget: ExpressionBudget): Value {
  if (typeof left !== 'string' && typeof right !== 'string') {
    return numberOr(numberOf(left), (a) => numberOr(numberOf(right), (b) => a + b));
  }
  const [first, second] = [textOf(left), textOf(right)];
  return first === null || second === null
    ? null
    : bounded(bounded(first, budget) + bounded(second, budget), budget);
}

/** The index of the value in a list or text, or of the field in a document; -1 when absent. */
function positionIn(whole: Value, part: Value, budget: ExpressionBudget): number {
  if (typeof whole === 'string') {
    const sought = textOf(part);
    if (sought === null) return -1;
    // The slowest search compares every character with every other one.
    spend(budget, (bounded(whole, budget).length * bounded(sought, budget).length) / PAIRS_PER_STEP);
    return whole.indexOf(sought);
  }
  if (Array.isArray(whole)) {
    // Rows of a table equal nothing, and a table may have thousands of them.
    if (isRecord(whole[0])) return -1;
    return whole.findIndex((item) => {
      spend(budget, 1);
      return isEqual(asValue(item), part);
    });
  }
  return isRecord(whole) && typeof part === 'string' && Object.hasOwn(whole, part) ? 0 : -1;
}

const PAIRS_PER_STEP = 10_000;

function callFunction(name: FunctionName, args: readonly Value[], budget: ExpressionBudget): Value {
  const [first = null, second = null] = args;
  switch (name) {
    case 'len':
      return first === null ? 0 : memberOf(first, 'length');
    case 'in_list':
      return positionIn(first, second, budget) >= 0;
    case 'cint':
      return Math.trunc(numberOf(first) ?? 0);
    case 'flt':
      return numberOf(first) ?? 0;
    case 'cstr':
      return textOf(first) ?? '';
  }
}

function callMethod(name: MethodName, of: Value, args: readonly Value[], budget: ExpressionBudget): Value {
  const [first = null, second = null] = args;
  if (name === 'includes') return positionIn(of, first, budget) >= 0;
  if (name === 'indexOf') return positionIn(of, first, budget);
  if (name === 'get') {
    const held = elementOf(of, first);
    return held === null ? second : held;
  }
  if (typeof of !== 'string') return null;
  const part = textOf(first);
  switch (name) {
    case 'startsWith':
      return part !== null && of.startsWith(part);
    case 'endsWith':
      return part !== null && of.endsWith(part);
    case 'lower':
      return bounded(of, budget).toLowerCase();
    case 'upper':
      return bounded(of, budget).toUpperCase();
    case 'trim':
      return bounded(of, budget).trim();
  }
}
