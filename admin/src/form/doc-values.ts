/**
 * Fields by name: values as they travel, a table as rows. A text where a number belongs is what somebody
 * typed.
 */
export type Values = Readonly<Record<string, unknown>>;

/** A row of a table. The key stays with it wherever it moves; it never travels. */
export interface Row {
  readonly key: string;
  readonly values: Values;
}

/** True for a value that is stored as nothing. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Whether two values of a field, or two tables, are stored alike. Untouched new rows are not stored. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (isUnset(one) && isUnset(other))) return true;
  if (!isRows(one) && !isRows(other)) return false;
  // A table that is not there is one without rows.
  const [rows, others] = [rowsOf(one), rowsOf(other)];
  return rows.length === others.length && rows.every((row, at) => isSameRow(row, others[at]));
}

function rowsOf(value: unknown): readonly Row[] {
  return isRows(value) ? value.filter(isWritten) : [];
}

function isSameRow(one: Row, other: Row | undefined): boolean {
  if (one === other) return true;
  if (!other || one.values['name'] !== other.values['name']) return false;
  const names = new Set([...Object.keys(one.values), ...Object.keys(other.values)]);
  for (const name of names) if (!isSameValue(one.values[name], other.values[name])) return false;
  return true;
}

/** True for a row that is stored, or that somebody wrote something into. */
export function isWritten({ values }: Row): boolean {
  return !isUnset(values['name']) || Object.values(values).some((value) => !isUnset(value));
}

/** True for what a table's field holds. */
export function isRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value);
}

/** Standard fields of a row, which the server sets. */
const OF_THE_SERVER = new Set([
  'doctype',
  'parent',
  'parenttype',
  'parentfield',
  'idx',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'docstatus',
]);

/** Rows as they are sent: the order says their number, the name which stored row each is. */
export function sentRows(rows: readonly Row[]): Record<string, unknown>[] {
  return rows.map(({ values }) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        OF_THE_SERVER.has(name) || value === undefined || (name === 'name' && isUnset(value))
          ? []
          : [[name, value === '' ? null : value]],
      ),
    ),
  );
}

/** A value of a field as it is sent. */
export function sentValue(value: unknown): unknown {
  if (isRows(value)) return sentRows(value);
  return isUnset(value) ? null : value;
}
