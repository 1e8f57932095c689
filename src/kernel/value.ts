/**
 * The value of a stored field: returned by both engines and shown on the wire. Check is 0 or 1, dates are
 * text.
 */
export type FieldValue = string | number | null;

/** Fields from a client, before any check. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for a plain object as JSON makes it: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The records of a list; none when the value is no list. */
export function recordsIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A text as it is; null for every other value. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
