import { bounded, type ExpressionBudget, spend } from './budget.ts';
import type { FilterName } from './syntax.ts';
import {
  asValue,
  elementOf,
  isTruthy,
  isUnset,
  memberOf,
  numberOf,
  numberOr,
  shownText,
  type Value,
} from './values.ts';

/**
 * Applies a filter: `of|name(args)`. An operation without meaning gives null, as in all expressions.
 * @param attribute the field of each row, for filters of lists
 */
export function applyFilter(
  name: FilterName,
  of: Value,
  args: readonly Value[],
  attribute: string | null,
  budget: ExpressionBudget,
): Value {
  const [first = null, second = null] = args;
  const text = (): string => bounded(shownText(of), budget);
  switch (name) {
    case 'length':
      return typeof of === 'string' || Array.isArray(of) ? of.length : 0;
    case 'default':
      return isUnset(of) || (isTruthy(second) && !isTruthy(of)) ? first : of;
    case 'first':
      return elementOf(of, 0);
    case 'last':
      return elementOf(of, Number(memberOf(of, 'length') ?? 0) - 1);
    case 'int':
      return Math.trunc(numberOf(of) ?? 0);
    case 'float':
      return numberOf(of) ?? 0;
    case 'abs':
      return numberOr(numberOf(of), Math.abs);
    case 'round':
      return numberOr(numberOf(of), (number) => rounded(number, numberOf(first) ?? 0));
    case 'map':
    case 'list':
      return elements(of, attribute, budget);
    case 'sum':
      return elements(of, attribute, budget).reduce<number>((sum, value) => sum + (numberOf(value) ?? 0), 0);
    case 'join':
      return joined(elements(of, attribute, budget), shownText(first), budget);
    case 'safe':
      return of;
    case 'string':
      return text();
    case 'lower':
      return text().toLowerCase();
    case 'upper':
      return text().toUpperCase();
    case 'trim':
      return text().trim();
    case 'capitalize':
      return capitalized(text());
    case 'title':
      return text().replace(/[\p{L}\p{N}']+/gu, capitalized);
    case 'format':
      return bounded(formatted(text(), args), budget);
    case 'replace':
      return replaced(text(), shownText(first), shownText(second), budget);
    case 'escape':
      return text().replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
    case 'urlencode':
      return encodeURIComponent(text().toWellFormed());
    case 'tojson':
      return jsonOf(of, budget);
  }
}

function rounded(number: number, digits: number): number {
  const factor = 10 ** Math.min(15, Math.max(0, Math.trunc(digits)));
  return (Math.sign(number) * Math.round(Math.abs(number) * factor)) / factor;
}

function elements(of: Value, attribute: string | null, budget: ExpressionBudget): Value[] {
  if (!Array.isArray(of)) return [];
  spend(budget, of.length);
  return of.map((item) => (attribute === null ? asValue(item) : memberOf(asValue(item), attribute)));
}

function joined(values: readonly Value[], separator: string, budget: ExpressionBudget): string {
  let text = '';
  for (const [index, value] of values.entries()) {
    // Joins piece by piece, so that an overlong text is never built.
    text = index === 0 ? shownText(value) : text + separator + shownText(value);
    if (text.length > budget.mostText) break;
  }
  return bounded(text, budget);
}

function replaced(text: string, sought: string, by: string, budget: ExpressionBudget): string {
  if (sought === '') return text;
  const parts = text.split(sought);
  spend(budget, parts.length);
  return joined(parts, by, budget);
}

/** Formats like `%` of Python's texts for `%s`, `%d`, `%f` and `%.2f`. */
function formatted(text: string, args: readonly Value[]): string {
  let next = 0;
  return text.replace(/%(?:\.(\d))?([sdf%])/g, (_, digits: string | undefined, kind: string) => {
    if (kind === '%') return '%';
    const arg = args[next] ?? null;
    next += 1;
    if (kind === 's') return shownText(arg);
    const number = numberOf(arg) ?? 0;
    return kind === 'd' ? String(Math.trunc(number)) : number.toFixed(Number(digits ?? 6));
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

function jsonOf(of: Value, budget: ExpressionBudget): string {
  const text = JSON.stringify(of);
  // Not bounded as a text: a document's JSON may be as long as a body.
  spend(budget, text.length / JSON_PER_STEP);
  return text;
}

const JSON_PER_STEP = 50;
