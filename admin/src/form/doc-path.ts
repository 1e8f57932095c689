/** A location in a document: a field, a row of a table, or a field of a row. */
export interface DocPath {
  readonly field: string;
  /** Counted from 0. */
  readonly row?: number;
  readonly cell?: string;
}

const SHAPE = /^([^[\].]+)(?:\[(\d+)\](?:\.([^[\].]+))?)?$/;

/**
 * Parses `subject`, `items[3]` or `items[3].qty`.
 * @throws Error for anything else: paths come from code, never from users
 */
export function parsePath(path: string): DocPath {
  const found = SHAPE.exec(path);
  if (!found) throw new Error(`not a path of a document: ${path}`);
  const [, field = '', row, cell] = found;
  if (row === undefined) return { field };
  return cell === undefined ? { field, row: Number(row) } : { field, row: Number(row), cell };
}

/** The path of a row's field. */
export function cellPath(table: string, row: number, field: string): string {
  return `${table}[${row}].${field}`;
}
