/** Whether a field's value is what it was. An unset text is null or empty, which is one thing. */
export function isSameValue(before: unknown, after: unknown): boolean {
  return before === after || (isUnset(before) && isUnset(after));
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
