import { t } from '../base/i18n.ts';
import type { Values } from '../form/doc-values.ts';
import type { CellChange } from '../form/keyed-rows.ts';
import { fieldEntry } from '../meta/field-registry.ts';
import { choicesOf } from '../meta/field-values.ts';
import type { Field } from '../meta/meta.ts';

/** Effect of a pasted block of cells on a table. */
export interface Pasted {
  readonly changes: readonly CellChange[];
  /** Rows added at the end. */
  readonly rows: readonly Values[];
  /** Cells with invalid text. They keep the text, so that the user can fix it. */
  readonly problems: readonly { readonly row: number; readonly field: string; readonly message: string }[];
  /** Number of rows beyond the limit. */
  readonly dropped: number;
}

interface Target {
  /** The grid's fields and the active one. */
  readonly columns: readonly Field[];
  readonly column: number;
  /** Cells of read-only fields are skipped. */
  readonly isOpen: (field: Field) => boolean;
  readonly row: number;
  readonly rows: number;
  /** Maximum rows of the table. */
  readonly limit: number;
}

/**
 * Reads a pasted block of cells at a position of a table. If its first line has column names, they decide the
 * columns.
 */
export function pasteInto(cells: readonly (readonly string[])[], target: Target): Pasted {
  const headed = headingsOf(cells[0] ?? [], target.columns);
  const columns = headed ?? target.columns.slice(target.column);
  const body = headed ? cells.slice(1) : cells;
  const room = Math.max(0, target.limit - target.row);
  const changes: CellChange[] = [];
  const rows: Record<string, unknown>[] = [];
  const problems: { row: number; field: string; message: string }[] = [];
  for (const [at, line] of body.slice(0, room).entries()) {
    const row = target.row + at;
    const fresh: Record<string, unknown> = {};
    for (const [column, text] of line.entries()) {
      const field = columns[column];
      if (!field || !target.isOpen(field)) continue;
      const { value, problem } = readValue(text, field);
      if (problem !== null) problems.push({ row, field: field.fieldname, message: problem });
      if (row < target.rows) changes.push({ row, field: field.fieldname, value });
      else fresh[field.fieldname] = value;
    }
    if (row >= target.rows) rows.push(fresh);
  }
  return { changes, rows, problems, dropped: Math.max(0, body.length - room) };
}

/** Parses text as a value of a field. For invalid text, returns the text and the error. */
export function readValue(
  text: string,
  field: Field,
): { readonly value: unknown; readonly problem: string | null } {
  const value = fieldEntry(field.fieldtype).parse(text, field);
  if (value === undefined) return { value: text, problem: t('“{text}” is not valid here', { text }) };
  if (field.fieldtype !== 'Select' || typeof value !== 'string' || value === '')
    return { value, problem: null };
  const wanted = value.trim().toLowerCase();
  const meant = choicesOf(field).find((one) => one.toLowerCase() === wanted);
  return meant === undefined
    ? { value, problem: t('“{text}” is not an option', { text }) }
    : { value: meant, problem: null };
}

// At least two names, so that a value that equals a column name is not taken for a header.
function headingsOf(line: readonly string[], all: readonly Field[]): readonly Field[] | null {
  const found = line.flatMap((text) => {
    const wanted = text.trim().toLowerCase();
    const isMeant = ({ fieldname, label }: Field) =>
      [fieldname, label, t(label)].some((one) => one.toLowerCase() === wanted);
    return all.find(isMeant) ?? [];
  });
  return line.length >= 2 && found.length === line.length ? found : null;
}
