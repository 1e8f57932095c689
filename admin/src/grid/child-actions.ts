import { announce } from '../base/announce.ts';
import { t, tn } from '../base/i18n.ts';
import { cellPath } from '../form/doc-path.ts';
import type { DocStore } from '../form/doc-store.ts';
import type { Ask } from '../meta/currency.ts';
import { fieldEntry } from '../meta/field-registry.ts';
import { isNumber } from '../meta/fieldtypes.ts';
import type { Field } from '../meta/meta.ts';
import { readTsv, writeTsv } from './child-clipboard.ts';
import { goTo, rowsOfAction } from './child-cursor.ts';
import type { ChildGridParts } from './child-grid-context.ts';
import { pasteInto } from './child-paste.ts';

/** Maximum rows in the child tables of one document: `childRows` of the server's limits. */
export const MOST_ROWS = 50_000;

/** Actions on the rows of a table. Each is one undo step. */
export interface ChildActions {
  /** Adds a row below the active one or at the end, and activates it. */
  addRow(where?: 'end' | 'below'): void;
  duplicate(): void;
  remove(): void;
  /** Moves the active row, or the selected rows if they are adjacent. */
  move(by: -1 | 1): void;
  clear(): void;
  fillDown(): void;
  copy(): string;
  paste(text: string): void;
}

/** The actions of a grid's table. */
export function childActions(store: DocStore, grid: ChildGridParts): ChildActions {
  const { table, cursor, columns, isOpen } = grid;
  const rows = () => store.rows(table);
  const keys = () => rows().map((row) => row.key);
  const about = () => rowsOfAction(cursor.get(), keys());
  const openRows = (field: Field | undefined, at: readonly number[]) =>
    field ? at.filter((row) => isOpen(field, row)) : [];

  return {
    addRow(where = 'end') {
      if (rows().length >= MOST_ROWS) return announce(t('The table is full'));
      const at = store.addRow(table, {}, where === 'end' ? rows().length : cursor.get().row + 1);
      goTo(
        cursor,
        at,
        Math.max(
          0,
          columns.findIndex(({ field }) => isOpen(field, at)),
        ),
      );
      announce(t('Row {number} added', { number: at + 1 }));
    },
    duplicate() {
      const at = about();
      const last = at.at(-1);
      if (last === undefined || rows().length + at.length > MOST_ROWS) return;
      const copies = at.map((row) => {
        const { name: _name, ...values } = rows()[row]?.values ?? {};
        return values;
      });
      store.insertRows(table, copies, last + 1);
      goTo(cursor, last + 1, cursor.get().column);
      announce(tn(copies.length, '{count} row added', '{count} rows added'));
    },
    remove() {
      const at = about();
      if (at.length === 0) return;
      store.removeRows(table, at);
      goTo(cursor, Math.max(0, Math.min(at[0] ?? 0, rows().length - 1)), cursor.get().column);
      announce(tn(at.length, '{count} row removed', '{count} rows removed'));
    },
    move(by) {
      const at = about();
      const [first, last] = [at[0], at.at(-1)];
      if (first === undefined || last === undefined || last - first !== at.length - 1) return;
      const beside = by < 0 ? first - 1 : last + 1;
      if (beside < 0 || beside >= rows().length) return;
      // Instead of the selected rows, this moves the adjacent row to their other side: one move for any
      // number of rows.
      store.moveRow(table, beside, by < 0 ? last : first);
      const state = cursor.get();
      cursor.set({ ...state, row: state.row + by, anchor: state.anchor + by });
      announce(t('Moved to row {number}', { number: first + by + 1 }));
    },
    clear() {
      const field = columns[cursor.get().column]?.field;
      const at = openRows(field, about());
      if (field)
        store.setCells(
          table,
          at.map((row) => ({ row, field: field.fieldname, value: null })),
        );
    },
    fillDown() {
      const field = columns[cursor.get().column]?.field;
      const at = about();
      const isRange = cursor.get().chosen.size > 1;
      const from = isRange ? (at[0] ?? 0) : cursor.get().row - 1;
      if (!field || from < 0) return;
      const value = rows()[from]?.values[field.fieldname] ?? null;
      const to = openRows(field, isRange ? at.slice(1) : at);
      store.setCells(
        table,
        to.map((row) => ({ row, field: field.fieldname, value })),
      );
    },
    copy() {
      const state = cursor.get();
      const chosen = state.chosen.size > 0;
      const fields = chosen
        ? columns.map(({ field }) => field)
        : [columns[state.column]?.field].filter(isField);
      return writeTsv(
        about().map((row) => fields.map((field) => textOf(rows()[row]?.values[field.fieldname]))),
      );
    },
    paste(text) {
      const state = cursor.get();
      const pasted = pasteInto(readTsv(text), {
        columns: columns.map(({ field }) => field),
        column: state.column,
        isOpen: (field) => isOpen(field, state.row),
        row: Math.min(state.row, rows().length),
        rows: rows().length,
        limit: MOST_ROWS,
      });
      const said = store.errors();
      store.batch(() => {
        store.setCells(table, pasted.changes);
        if (pasted.rows.length > 0) store.insertRows(table, pasted.rows);
      });
      if (pasted.problems.length > 0)
        store.setErrors([
          ...said,
          ...pasted.problems.map(({ row, field, message }) => ({
            path: cellPath(table, row, field),
            message,
          })),
        ]);
      const count = new Set(pasted.changes.map(({ row }) => row)).size + pasted.rows.length;
      const told = [tn(count, '{count} row pasted', '{count} rows pasted')];
      if (pasted.problems.length > 0)
        told.push(tn(pasted.problems.length, '{count} invalid cell', '{count} invalid cells'));
      if (pasted.dropped > 0)
        told.push(
          tn(
            pasted.dropped,
            '{count} row skipped: the table is full',
            '{count} rows skipped: the table is full',
          ),
        );
      announce(told.join('. '));
    },
  };
}

/** A value as the cell's text. */
export function shownOf(field: Field, value: unknown, ask?: Ask): string {
  // Typed or pasted text that is no number is shown unchanged, so that the user can fix it.
  if (isNumber(field.fieldtype) && typeof value === 'string' && Number.isNaN(Number(value))) return value;
  return fieldEntry(field.fieldtype).format(field, value, ask);
}

function isField(field: Field | undefined): field is Field {
  return field !== undefined;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
