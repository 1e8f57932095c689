/** A measured value at a time. */
export interface Point {
  /** Hours since the first one. */
  readonly at: number;
  readonly value: number;
}

/** The growth of a value per hour, and the interval that holds the true one with 95 % confidence. */
export interface Slope {
  readonly perHour: number;
  readonly least: number;
  readonly most: number;
}

/** Of the normal distribution: 95 % lies within so many standard errors. */
const CONFIDENCE = 1.96;
/** Neighbouring points tell the same, so they are averaged into so many independent ones. */
const GROUPS = 20;

/**
 * Fits a line by least squares. The points are averaged in groups of equal size first, because a process that frees
 * memory from time to time gives points that depend on those before them; taken one by one, they would promise a
 * confidence that there is not. Null with fewer points than groups.
 */
export function slopeOf(points: readonly Point[]): Slope | null {
  if (points.length < GROUPS) return null;
  const means = Array.from({ length: GROUPS }, (_, group) => {
    const edge = (index: number) => Math.floor((index * points.length) / GROUPS);
    const members = points.slice(edge(group), edge(group + 1));
    return { at: mean(members.map(({ at }) => at)), value: mean(members.map(({ value }) => value)) };
  });
  const [middle, level] = [mean(means.map(({ at }) => at)), mean(means.map(({ value }) => value))];
  const spread = sum(means.map(({ at }) => (at - middle) ** 2));
  const perHour = sum(means.map(({ at, value }) => (at - middle) * (value - level))) / spread;
  const left = sum(means.map(({ at, value }) => (value - level - perHour * (at - middle)) ** 2));
  const error = Math.sqrt(left / (GROUPS - 2) / spread);
  return { perHour, least: perHour - CONFIDENCE * error, most: perHour + CONFIDENCE * error };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
