/** A place in a document: a field, a row of a table, or a field of a row. */
export interface DocPath {
  readonly field: string;
  /** Rows count from 0. */
  readonly row?: number;
  readonly cell?: string;
}

const SHAPE = /^([^[\].]+)(?:\[(\d+)\](?:\.([^[\].]+))?)?$/;

/**
 * `subject`, `items[3]`, `items[3].qty`.
 * @throws Error for anything else: paths are written by programs
 */
export function parsePath(path: string): DocPath {
  const found = SHAPE.exec(path);
  if (!found) throw new Error(`not a path of a document: ${path}`);
  const [, field = '', row, cell] = found;
  if (row === undefined) return { field };
  return cell === undefined ? { field, row: Number(row) } : { field, row: Number(row), cell };
}

/** The path of a field of a row. */
export function cellPath(table: string, row: number, field: string): string {
  return `${table}[${row}].${field}`;
}
