import type { Row } from './doc-values.ts';

/** An error at a path of a document. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** Errors by path. Cells are keyed by row, so that an error moves with its row. */
export class ErrorMap {
  readonly #messages = new Map<string, string>();
  #listed: readonly FieldError[] | null = null;
  #listedRows = new Map<string, readonly Row[]>();

  /** `place` is a field, or `items#key.qty` for a cell. */
  at(place: string): string | null {
    return this.#messages.get(place) ?? null;
  }

  set(place: string, message: string): void {
    const before = this.#messages.get(place);
    this.#messages.set(place, before === undefined || before === message ? message : `${before}\n${message}`);
    this.#listed = null;
  }

  clear(): void {
    this.#messages.clear();
    this.#listed = null;
  }

  /** Removes the error of a changed field. Returns true if there was one. */
  answer(field: string): boolean {
    const was = this.#messages.delete(field);
    if (was) this.#listed = null;
    return was;
  }

  /** Removes the errors of a table's changed cells and deleted rows. */
  answerRows(table: string, before: readonly Row[], after: readonly Row[]): boolean {
    if (this.#messages.size === 0) return false;
    const rowsBefore = new Map(before.map((row) => [row.key, row]));
    const rowsAfter = new Map(after.map((row) => [row.key, row]));
    let was = before.length !== after.length && this.answer(table);
    for (const place of [...this.#messages.keys()]) {
      const found = placeOfCell(place);
      if (found?.table !== table) continue;
      const now = rowsAfter.get(found.key);
      const then = rowsBefore.get(found.key);
      if (now && then && Object.is(now.values[found.cell], then.values[found.cell])) continue;
      this.answer(place);
      was = true;
    }
    return was;
  }

  /** All errors. Paths give the current row numbers. */
  list(rowsOf: (table: string) => readonly Row[]): readonly FieldError[] {
    const isOld = [...this.#listedRows].some(([table, rows]) => rowsOf(table) !== rows);
    if (this.#listed && !isOld) return this.#listed;
    this.#listedRows = new Map();
    this.#listed = [...this.#messages].flatMap(([place, message]) => {
      const found = placeOfCell(place);
      if (!found) return [{ path: place, message }];
      const rows = rowsOf(found.table);
      this.#listedRows.set(found.table, rows);
      const at = rows.findIndex((row) => row.key === found.key);
      const path = `${found.table}[${at}]${found.cell === '' ? '' : `.${found.cell}`}`;
      return at < 0 ? [] : [{ path, message }];
    });
    return this.#listed;
  }
}

function placeOfCell(place: string): { table: string; key: string; cell: string } | null {
  const found = /^([^#]+)#([^.]+)(?:\.(.+))?$/.exec(place);
  return found ? { table: found[1] ?? '', key: found[2] ?? '', cell: found[3] ?? '' } : null;
}
