/** True when a field's value is unchanged. Null and empty text are equal. */
export function isSameValue(before: unknown, after: unknown): boolean {
  return before === after || (isUnset(before) && isUnset(after));
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
