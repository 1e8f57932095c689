import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useStore } from '../base/store.ts';
import { usePrinting } from '../base/use-printing.ts';
import { parsePath } from '../form/doc-path.ts';
import { scopeOf } from '../form/field-state.ts';
import { useForm, useValue } from '../form/form-context.ts';
import type { TableProps } from '../form/table-slot.ts';
import { isReadOnly as isReadOnlyNow } from '../meta/depends-on.ts';
import type { Field } from '../meta/meta.ts';
import { canChangeField, isLevelOpen } from '../meta/permissions.ts';
import { childActions } from './child-actions.ts';
import { childColumns } from './child-columns.ts';
import { createCursor, goTo, setEditing } from './child-cursor.ts';
import type { ChildGridParts } from './child-grid-context.ts';
import { useNarrow } from './use-narrow.ts';

/** Height of a row in pixels. */
export const LINE = 34;
/** Maximum rows rendered for printing. */
const MOST_PRINTED = 1_000;
/** Maximum visible rows; more rows scroll. */
export const SEEN = 14;
const HEAD = 44;
const TAIL = 40;

/** The state of a table's grid, and what its keys do. */
export function useChildTable({ field, child, isReadOnly }: TableProps) {
  const { store } = useForm();
  const table = field.fieldname;
  useValue(table);
  const count = store.rows(table).length;
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, open] = useState<number | null>(null);
  const grid = useParts({ field, child, isReadOnly, scroller, open });
  const { columns, cursor, isOpen } = grid;
  const actions = useMemo(() => childActions(store, grid), [store, grid]);
  const isPrinting = usePrinting();
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    getItemKey: (index) => store.rows(table)[index]?.key ?? index,
    overscan: isPrinting ? MOST_PRINTED : 4,
    scrollPaddingStart: LINE,
    scrollPaddingEnd: LINE,
  });
  const active = useActive(grid, count, (next) => rows.scrollToIndex(next));
  useWishedCell(grid);
  const toggleCheck = () => {
    const at = cursor.get();
    const cell = columns[at.column]?.field;
    if (cell?.fieldtype !== 'Check' || !isOpen(cell, at.row)) return false;
    const path = `${table}[${at.row}].${cell.fieldname}`;
    store.set(path, Number(store.get(path)) ? 0 : 1);
    return true;
  };
  const edit = (isFresh: boolean) => {
    const at = cursor.get();
    const cell = columns[at.column]?.field;
    if (!cell || !isOpen(cell, at.row)) return false;
    if (cell.fieldtype === 'Check') return !isFresh && toggleCheck();
    rows.scrollToIndex(at.row);
    // Synchronous, so that the first key press goes into the control.
    flushSync(() => setEditing(cursor, true));
    return true;
  };
  const keyboard = {
    cursor,
    actions,
    columns: columns.length,
    rows: () => store.rows(table),
    page: Math.min(count, SEEN) - 1,
    isReadOnly,
    edit,
    toggleCheck,
    openRow: () => count > 0 && open(cursor.get().row),
  };
  const width = HEAD + TAIL + columns.reduce((sum, column) => sum + column.width, 0);
  return { table, count, grid, actions, rows, active, keyboard, width, scroller, opened, open };
}

export type ChildTable = ReturnType<typeof useChildTable>;

interface PartsOptions extends Pick<TableProps, 'field' | 'child' | 'isReadOnly'> {
  readonly scroller: { readonly current: HTMLDivElement | null };
  readonly open: (row: number | null) => void;
}

function useParts({ field, child, isReadOnly, scroller, open }: PartsOptions): ChildGridParts {
  const form = useForm();
  const { store } = form;
  const table = field.fieldname;
  const gridId = useId();
  const [cursor] = useState(createCursor);
  const columns = useMemo(
    () => childColumns(child, (one) => isLevelOpen(child, one.permlevel, 'read', form.user)),
    [child, form.user],
  );
  const isOpen = useCallback(
    (one: Field, row: number) => {
      const values = store.rows(table)[row]?.values ?? {};
      const state = {
        docstatus: form.docstatus,
        isNew: form.docname === null,
        isSet: values['name'] !== undefined,
      };
      const scope = { ...scopeOf(form, `${table}[${row}].`), doc: values };
      return !isReadOnly && !isReadOnlyNow(one, scope) && canChangeField(child, one, form.user, state);
    },
    [store, table, child, form, isReadOnly],
  );
  return useMemo(
    () => ({
      table,
      meta: child,
      columns,
      cursor,
      isReadOnly,
      gridId,
      isOpen,
      openRow: open,
      focus: () => scroller.current?.focus({ preventScroll: true }),
    }),
    [table, child, columns, cursor, isReadOnly, gridId, isOpen, open, scroller],
  );
}

/** The active cell. Scrolls it into view when it moves. */
function useActive({ cursor }: ChildGridParts, count: number, reach: (row: number) => void) {
  const state = useStore(cursor);
  // Rows can also disappear without a key press here: when empty new rows are dropped, or by undo.
  useEffect(() => {
    const { row, column } = cursor.get();
    if (count > 0 && row >= count) goTo(cursor, count - 1, column);
  }, [count, cursor]);
  const latest = useRef(reach);
  latest.current = reach;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) latest.current(state.row);
    isFirst.current = false;
  }, [state.row]);
  return state;
}

/** Handles requests to go to a cell of this table, such as a click on an error. */
function useWishedCell({ table, columns, cursor, openRow, focus }: ChildGridParts): void {
  const wish = useStore(useForm().wish);
  const isNarrow = useNarrow();
  const path = wish?.path ?? '';
  const at = wish?.at ?? 0;
  useEffect(() => {
    if (at === 0 || !path.startsWith(`${table}[`)) return;
    const { row = 0, cell } = parsePath(path);
    const column = columns.findIndex(({ field }) => field.fieldname === cell);
    goTo(cursor, row, Math.max(0, column));
    // A card has no cells.
    if (cell !== undefined && (column < 0 || isNarrow)) openRow(row);
    else focus();
  }, [path, at, table, columns, cursor, openRow, focus, isNarrow]);
}
