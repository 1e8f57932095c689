/** A span of time without gaps: what nothing was counted in is there, too. */
export interface Slot {
  /** As the server names it: `2026-11-21 10`. */
  readonly key: string;
  /** Where it begins, in seconds since the epoch. */
  readonly at: number;
}

/** How long a slot is, in seconds. */
export const LENGTHS = { minute: 60, hour: 3_600, day: 86_400 } as const;
export type SlotKind = keyof typeof LENGTHS;

const DIGITS = { minute: 16, hour: 13, day: 10 } as const;

/**
 * The slots of the last hours, the oldest first. Keys are the clock's of the site; `timestampOf` tells it for
 * a moment, `momentOf` what it means.
 */
export function slotsOf(
  kind: SlotKind,
  hours: number,
  now: number,
  clock: {
    readonly timestampOf: (millis: number) => string;
    readonly momentOf: (timestamp: string) => number;
  },
): Slot[] {
  const length = LENGTHS[kind] * 1_000;
  const slots = new Map<string, Slot>();
  // Half a step at a time: where clocks are set an hour on or back, no slot is left out, and none comes
  // twice.
  for (let at = now - hours * 3_600_000; at < now + length / 2; at += length / 2) {
    const key = clock.timestampOf(Math.min(at, now)).slice(0, DIGITS[kind]);
    if (!slots.has(key)) slots.set(key, { key, at: clock.momentOf(`${key}${REST[kind]}`) / 1_000 });
  }
  return [...slots.values()].filter(({ at }) => Number.isFinite(at)).toSorted((a, b) => a.at - b.at);
}

const REST = { minute: ':00', hour: ':00:00', day: ' 00:00:00' } as const;

/** Values in the order of the slots, of what was counted by their keys. */
export function alongSlots<T, V>(
  slots: readonly Slot[],
  counted: readonly T[],
  keyOf: (one: T) => string,
  pick: (one: T) => V,
  otherwise: V,
): V[] {
  const byKey = new Map(counted.map((one) => [keyOf(one), pick(one)]));
  return slots.map(({ key }) => byKey.get(key) ?? otherwise);
}
