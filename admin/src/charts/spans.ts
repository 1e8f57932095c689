/** A slot of a time range. Ranges have no gaps: slots without counts are included. */
export interface Slot {
  /** The server's key: `2026-11-21 10`. */
  readonly key: string;
  /** Start, in seconds since the epoch. */
  readonly at: number;
}

/** Length of a slot in seconds. */
export const LENGTHS = { minute: 60, hour: 3_600, day: 86_400 } as const;
export type SlotKind = keyof typeof LENGTHS;

const DIGITS = { minute: 16, hour: 13, day: 10 } as const;

/**
 * Slots of the last hours, oldest first. Keys use the site's time zone: `timestampOf` computes a key from a
 * moment, `momentOf` the reverse.
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
  // Half-slot steps: around clock changes, no slot is missing or repeated.
  for (let at = now - hours * 3_600_000; at < now + length / 2; at += length / 2) {
    const key = clock.timestampOf(Math.min(at, now)).slice(0, DIGITS[kind]);
    if (!slots.has(key)) slots.set(key, { key, at: clock.momentOf(`${key}${REST[kind]}`) / 1_000 });
  }
  return [...slots.values()].filter(({ at }) => Number.isFinite(at)).toSorted((a, b) => a.at - b.at);
}

const REST = { minute: ':00', hour: ':00:00', day: ' 00:00:00' } as const;

/** Maps values counted by key to the order of the slots. */
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
