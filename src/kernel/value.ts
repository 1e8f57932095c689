/** A stored field's value: what both engines return and the wire shows. Check is 0 or 1, dates are text. */
export type FieldValue = string | number | null;

/** Fields as a client sent them, before any check. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for a plain object as JSON makes it: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
