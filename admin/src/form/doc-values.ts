/**
 * Field values by name, in wire form; a table is an array of rows. Text in a number field is unparsed input.
 */
export type Values = Readonly<Record<string, unknown>>;

/** A row of a table. Its key moves with it and is never sent. */
export interface Row {
  readonly key: string;
  readonly values: Values;
}

/** True for an empty value. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** True if two values of a field, or two tables, are stored alike. Empty new rows are not stored. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (isUnset(one) && isUnset(other))) return true;
  if (!isRows(one) && !isRows(other)) return false;
  // A missing table has no rows.
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

/** True for a stored row, or a new row with a value. */
export function isWritten({ values }: Row): boolean {
  return !isUnset(values['name']) || Object.values(values).some((value) => !isUnset(value));
}

/** True for the value of a table field. */
export function isRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value);
}

/** Fields of a row that only the server sets. */
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

/** Rows to send. Their order gives the row numbers; the name identifies a stored row. */
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

/** The wire form of a field's value. */
export function sentValue(value: unknown): unknown {
  if (isRows(value)) return sentRows(value);
  return isUnset(value) ? null : value;
}
