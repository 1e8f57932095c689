import { LIMITS } from '../limits.ts';
import { isRecord } from '../value.ts';
import type { FunctionName, MethodName, Node, Operator } from './syntax.ts';
import { refuseExpression } from './tokens.ts';

/** What an expression looks at. Read, never changed. */
export interface Scope {
  /** A document, or a row of a child table. */
  readonly doc: Readonly<Record<string, unknown>>;
  /** For a row, the document that holds it. */
  readonly parent?: Readonly<Record<string, unknown>>;
  /** The document is being created: what `doc.__islocal` says. */
  readonly isNew?: boolean;
}

type Value = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;

/** Steps so far: a bound on work, whatever the document holds. */
interface Work {
  steps: number;
}

/**
 * What a tree says of a document. Operations that mean nothing for their values give null, which is false.
 * @throws ServiceError ValidationError when it takes too much work
 */
export function evaluateTree(node: Node, scope: Scope): Value {
  return evaluate(node, scope, { steps: 0 });
}

/** False are: null, false, 0, the empty text, and a list or table without rows. */
export function isTruthy(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function spend(work: Work, steps: number): void {
  work.steps += steps;
  if (work.steps > LIMITS.expressionSteps) refuseExpression('takes too much work for this document');
}

function evaluate(node: Node, scope: Scope, work: Work): Value {
  spend(work, 1);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'name':
      return asValue(scope[node.name]);
    case 'member':
      if (node.of.kind === 'name' && node.of.name === 'doc' && LOCAL.has(node.key))
        return scope.isNew ? 1 : 0;
      return memberOf(evaluate(node.of, scope, work), node.key);
    case 'index':
      return elementOf(evaluate(node.of, scope, work), evaluate(node.at, scope, work));
    case 'list':
      return node.items.map((item) => evaluate(item, scope, work));
    case 'not':
      return !isTruthy(evaluate(node.of, scope, work));
    case 'negative':
      return numberOr(numberOf(evaluate(node.of, scope, work)), (number) => -number);
    case 'call':
      return callFunction(
        node.name,
        node.args.map((arg) => evaluate(arg, scope, work)),
        work,
      );
    case 'method':
      return callMethod(
        node.name,
        evaluate(node.of, scope, work),
        node.args.map((arg) => evaluate(arg, scope, work)),
        work,
      );
    case 'binary':
      return evaluateBinary(node.operator, node.left, node.right, scope, work);
  }
}

/** Frappe's forms mark a document that was never saved with these. */
const LOCAL: ReadonlySet<string> = new Set(['__islocal', '__unsaved']);

function evaluateBinary(
  operator: Operator,
  leftNode: Node,
  rightNode: Node,
  scope: Scope,
  work: Work,
): Value {
  const left = evaluate(leftNode, scope, work);
  if (operator === 'and') return isTruthy(left) ? evaluate(rightNode, scope, work) : left;
  if (operator === 'or') return isTruthy(left) ? left : evaluate(rightNode, scope, work);
  const right = evaluate(rightNode, scope, work);
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return positionIn(right, left, work) >= 0;
    case 'not in':
      return positionIn(right, left, work) < 0;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(operator, left, right);
    case '+':
      return add(left, right);
    default:
      return numberOr(numberOf(left), (a) => numberOr(numberOf(right), (b) => calculate(operator, a, b)));
  }
}

/** What a document holds, as a value; anything else it might hold is null. */
function asValue(held: unknown): Value {
  switch (typeof held) {
    case 'string':
    case 'boolean':
      return held;
    case 'number':
      return Number.isFinite(held) ? held : null;
    default:
      return Array.isArray(held) || isRecord(held) ? held : null;
  }
}

function memberOf(value: Value, key: string): Value {
  if (key === 'length' && (typeof value === 'string' || Array.isArray(value))) return value.length;
  // Own properties only: what every object inherits is no field.
  return isRecord(value) && Object.hasOwn(value, key) ? asValue(value[key]) : null;
}

function elementOf(value: Value, at: Value): Value {
  if (typeof at === 'string') return memberOf(value, at);
  if (typeof at !== 'number' || !Number.isInteger(at)) return null;
  if (Array.isArray(value)) return asValue(value[at]);
  return typeof value === 'string' ? asValue(value[at]) : null;
}

const NUMERAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || value.length > 40 || !NUMERAL.test(value)) return null;
  return asValue(Number(value)) as number | null;
}

function numberOr(number: number | null, then: (number: number) => number | null): number | null {
  if (number === null) return null;
  const result = then(number);
  return result !== null && Number.isFinite(result) ? result : null;
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

function add(left: Value, right: Value): Value {
  if (typeof left !== 'string' && typeof right !== 'string') {
    return numberOr(numberOf(left), (a) => numberOr(numberOf(right), (b) => a + b));
  }
  const [first, second] = [textOf(left), textOf(right)];
  return first === null || second === null ? null : bounded(bounded(first) + bounded(second));
}

function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

function bounded(text: string): string {
  if (text.length > LIMITS.expressionText) {
    refuseExpression(`works on a text of more than ${LIMITS.expressionText} characters`);
  }
  return text;
}

function isUnset(value: Value): boolean {
  return value === null || value === '';
}

/** An unset text is null or empty, which is one thing; a number equals its numeral; lists and documents equal nothing. */
function isEqual(left: Value, right: Value): boolean {
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right);
  if (typeof left === 'string' && typeof right === 'string') return left === right;
  const number = numberOf(left);
  return number !== null && number === numberOf(right);
}

function isOrdered(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return inOrder(operator, left, right);
  const [a, b] = [numberOf(left), numberOf(right)];
  return a !== null && b !== null && inOrder(operator, a, b);
}

function inOrder<T extends string | number>(operator: '<' | '<=' | '>' | '>=', a: T, b: T): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
}

/** Where a list or text has the value, a document the field; -1 when nowhere. */
function positionIn(whole: Value, part: Value, work: Work): number {
  if (typeof whole === 'string') {
    const sought = textOf(part);
    if (sought === null) return -1;
    // The slowest search compares every character with every character.
    spend(work, (bounded(whole).length * bounded(sought).length) / CHARACTERS_PER_STEP);
    return whole.indexOf(sought);
  }
  if (Array.isArray(whole)) {
    // Rows of a table equal nothing, and there may be thousands.
    if (isRecord(whole[0])) return -1;
    return whole.findIndex((item) => {
      spend(work, 1);
      return isEqual(asValue(item), part);
    });
  }
  return isRecord(whole) && typeof part === 'string' && Object.hasOwn(whole, part) ? 0 : -1;
}

const CHARACTERS_PER_STEP = 10_000;

function callFunction(name: FunctionName, args: readonly Value[], work: Work): Value {
  const [first = null, second = null] = args;
  switch (name) {
    case 'len':
      return first === null ? 0 : memberOf(first, 'length');
    case 'in_list':
      return positionIn(first, second, work) >= 0;
    case 'cint':
      return Math.trunc(numberOf(first) ?? 0);
    case 'flt':
      return numberOf(first) ?? 0;
    case 'cstr':
      return textOf(first) ?? '';
  }
}

function callMethod(name: MethodName, of: Value, args: readonly Value[], work: Work): Value {
  const [first = null, second = null] = args;
  if (name === 'includes') return positionIn(of, first, work) >= 0;
  if (name === 'indexOf') return positionIn(of, first, work);
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
      return bounded(of).toLowerCase();
    case 'upper':
      return bounded(of).toUpperCase();
    case 'trim':
      return bounded(of).trim();
  }
}
