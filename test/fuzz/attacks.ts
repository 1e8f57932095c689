import fc from 'fast-check';
import type { Plan } from './requests.ts';

const BLANKS: readonly string[] = [' ', ' ', '\t', '\n', '\u00a0'];

/** The shortest ones, for who tries all. */
export const SIGNS: readonly string[] = [
  ' ',
  '\t',
  '(',
  ')',
  '"',
  "'",
  '`',
  '\\',
  '%',
  '.',
  ',',
  '[',
  '{',
  '<',
  '&',
  '-',
  '_',
  '/',
  '@',
  '0',
  'a',
  'é',
];

/** What is repeated: signs with a meaning for some parser, alone and in forms that it knows; between bars. */
const UNITS: readonly string[] = split(
  `(|)|[|]|{|}|<|>|"|'|\`|\\|/|%|.|,|;|:|=|&|#|?|+|-|_|*|~|@|$|!|^|0|a|A|é|😀|文|((|[[|()|[]|{}|""|\\"|\\\\|%a|%%20|%ff|a.|a,|
.a|1.|1e|1,|count(| as | asc| as a|a as | and | or | not |distinct |if |tab|\`tab|{"a":|["a",|[["name","=","a"],"or",|"a":1,|{{|}}|
{% if 1 %}|{{ a }}|{a}|{#}|<b>|<b|</b>|<!--|<a href="|<p style="a:b;|&amp;|&#1|<a@b|#.|.#|.YYYY.|-.|a@|@a.|a@a.b,|+1|1-|2026-01-01 |00:|
bytes=0-0,|"1", |W/"|a=b; |a/|../|doc.|doc.a+|len(|1+|"a" in |==|-1|--|eval:|field:|format:|x\r`,
);

/** What stands before it: beginnings of everything that is parsed. */
const BEFORE: readonly string[] = split(
  `|||a|"|'|(|[|{|name|count(|a as|\`|\`tab|tab|[["name","=","|[["name","in","|[["name","like","%|{"name":["in",["|{"name":"|["|field:|
format:|format:{|eval:|doc.a == "|doc.|{{ |{% if |http://|https://a/|data:text/plain;base64,|token |Basic |bearer |bytes=|2026-|1|1.|-|<a |<b>`,
);

/** The same for the terms of a list. */
export const BEFORE_TERM: readonly string[] = split(
  '|a|name|count(|count|sum(name|max(distinct|name as|a as b|name asc|items.|tabLeaf.|`tab|`|*|["',
);

/** What stands behind it, mostly so that it does not fit. */
const AFTER: readonly string[] = split(`||x|(|)|]|}|"|"]|"]]|"}|'|\`|!| x|x(| desc| as b|@|#|.|\\|>| }}|\0`);

function split(text: string): string[] {
  return text.replaceAll('|\n', '|').split('|');
}

const unit = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...BLANKS) },
  { weight: 2, arbitrary: fc.constantFrom(...UNITS) },
);

/** Long texts of one thing repeated, which make a parser slow that goes back and forth. */
function attackText(before: readonly string[], lengths: readonly number[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...before), repeated(lengths), fc.constantFrom(...AFTER))
    .map((parts) => parts.join(''));
}

function repeated(lengths: readonly number[]): fc.Arbitrary<string> {
  return fc
    .tuple(unit, fc.constantFrom(...lengths))
    .map(([one, length]) => one.repeat(Math.ceil(length / Math.max(1, one.length))));
}

/** Lengths that an address or a header can hold. */
const SHORT = [100, 600, 2_000];

/** Any text of that kind. */
export const shortAttack: fc.Arbitrary<string> = attackText(BEFORE, SHORT);

/** One for a list, alone or as one of several terms. */
export const termAttack: fc.Arbitrary<unknown> = fc
  .tuple(attackText(BEFORE_TERM, SHORT), fc.integer({ min: 0, max: 3 }))
  .map(([text, how]): unknown => [text, [text], ['name', text], `name, ${text}`][how]);

/** One in twenty requests gets a long text in place of one of its values, within it, or at the end of its path. */
export const attack: fc.Arbitrary<(plan: Plan) => Plan> = fc
  .tuple(
    fc.integer({ min: 0, max: 19 }),
    repeated(SHORT),
    repeated([600, 2_000, 10_000, 10_000, 100_000, 1_000_000]),
    fc.tuple(fc.constantFrom(...BEFORE), fc.constantFrom(...AFTER)),
    fc.nat(),
    fc.option(fc.nat()),
  )
  .map(([chance, short, long, [before, after], pick, at]) => (plan: Plan) => {
    if (chance > 0) return plan;
    const put = (run: string) => (old: unknown) => {
      if (at === null || typeof old !== 'string') return before + run + after;
      const place = at % (old.length + 1);
      return old.slice(0, place) + run + old.slice(place) + after;
    };
    const { path, query, payload } = plan;
    if (leavesOf(payload) > 0) return { ...plan, payload: replaced(payload, pick, put(long)) };
    if (query && leavesOf(query) > 0) {
      return { ...plan, query: replaced(query, pick, put(short)) as Record<string, unknown> };
    }
    return { ...plan, path: `${path}${encodeURIComponent(short)}` };
  });

// Values within values, counted from the first.
function leavesOf(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + leavesOf(inner), 0);
}

function replaced(value: unknown, pick: number, change: (old: unknown) => string): unknown {
  let left = pick % leavesOf(value);
  function walk(one: unknown): unknown {
    if (one === undefined) return one;
    if (typeof one !== 'object' || one === null) {
      left -= 1;
      return left === -1 ? change(one) : one;
    }
    if (Array.isArray(one)) return one.map(walk);
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, walk(inner)]));
  }
  return walk(value);
}
