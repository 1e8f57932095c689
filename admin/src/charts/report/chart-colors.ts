import { hueOf } from '../../meta/hues.ts';
import type { GroupValue } from './report.ts';

/** Colours that differ enough side by side: `--c-chart-1` to this one. The last is that of the rest. */
export const COLORS = 8;
const HUED = { blue: 1, green: 3, yellow: 2, red: 5, gray: 0 } as const;
/** Colours of options without a colour of their own: first those that mean nothing. */
const PLAIN = [7, 4, 6, 1, 2, 3, 5];

/** The colours of values side by side. An option of a Select has the same one in each chart. Undefined: the rest. */
export function colorsOf(
  values: readonly (GroupValue | undefined)[],
  options: readonly string[],
): readonly number[] {
  const own = colorsOfOptions(options);
  const wanted = values.map((value) => (value === undefined ? COLORS : own.get(String(value))));
  const taken = new Set<number>();
  // A doctype with more options than colours repeats some: a chart does not.
  const kept = wanted.map((color) => {
    if (color === undefined || taken.has(color)) return undefined;
    taken.add(color);
    return color;
  });
  const free = Array.from({ length: COLORS }, (_, at) => at + 1).filter((color) => !taken.has(color));
  return kept.map((color) => color ?? free.shift() ?? COLORS);
}

// Known words have their usual colour, the first of several of one colour. The other options follow in order.
function colorsOfOptions(options: readonly string[]): ReadonlyMap<string, number> {
  const colors = new Map<string, number>();
  for (const option of options) {
    const color = HUED[hueOf(option)];
    if (color > 0 && ![...colors.values()].includes(color)) colors.set(option, color);
  }
  const free = PLAIN.filter((color) => ![...colors.values()].includes(color));
  const plain = free.length > 0 ? free : PLAIN;
  for (const [at, option] of options.filter((one) => !colors.has(one)).entries())
    colors.set(option, plain[at % plain.length] ?? COLORS);
  return colors;
}
