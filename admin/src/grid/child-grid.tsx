import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { t, tn } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { usePrinting } from '../base/use-printing.ts';
import { parsePath } from '../form/doc-path.ts';
import { scopeOf } from '../form/field-state.ts';
import { FormContext, useForm, useValue } from '../form/form-context.ts';
import { RowForm } from '../form/row-form.tsx';
import type { TableProps } from '../form/table-slot.ts';
import { isReadOnly as isReadOnlyNow } from '../meta/depends-on.ts';
import type { Field } from '../meta/meta.ts';
import { canChangeField, isLevelOpen } from '../meta/permissions.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { Drawer } from '../widgets/dialogs.tsx';
import { childActions } from './child-actions.ts';
import { childColumns } from './child-columns.ts';
import { createCursor, extendTo, goTo, setEditing, toggleRow } from './child-cursor.ts';
import { ChildFooter, ChildToolbar } from './child-footer.tsx';
import css from './child-grid.module.css';
import { ChildGridContext, type ChildGridParts, cellId } from './child-grid-context.ts';
import { pressInGrid } from './child-keys.ts';
import { ChildRow } from './child-row.tsx';
import { RowTools } from './child-row-tools.tsx';
import { Grid, GridHead, GridRow, RowGroup } from './grid-parts.tsx';

const LINE = 34;
/** Maximum rows rendered for printing. */
const MOST_PRINTED = 1_000;
/** Maximum visible rows; more rows scroll. */
const SEEN = 14;
const HEAD = 44;
const TAIL = 40;

/** A child table as a spreadsheet. Only visible rows are mounted, and every action has a key. */
export function ChildGrid({ field, child, isReadOnly, isRequired, error }: TableProps) {
  const form = useForm();
  const { store } = form;
  const table = field.fieldname;
  useValue(table);
  const count = store.rows(table).length;
  const gridId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, open] = useState<number | null>(null);
  const [cursor] = useState(createCursor);
  const columns = useMemo(
    () => childColumns(child, (one) => isLevelOpen(child, one.permlevel, 'read', form.user)),
    [child, form.user],
  );
  const width = HEAD + TAIL + columns.reduce((sum, column) => sum + column.width, 0);
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
  const grid: ChildGridParts = useMemo(
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
    [table, child, columns, cursor, isReadOnly, gridId, isOpen],
  );
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
  const { row, column, isEditing } = useActive(grid, count, (next) => rows.scrollToIndex(next));
  useWishedCell(grid);

  const edit = (isFresh: boolean) => {
    const at = cursor.get();
    const active = columns[at.column]?.field;
    if (!active || !isOpen(active, at.row)) return false;
    if (active.fieldtype === 'Check') return !isFresh && toggleCheck();
    rows.scrollToIndex(at.row);
    // Synchronous, so that the first key press goes into the control.
    flushSync(() => setEditing(cursor, true));
    return true;
  };
  const toggleCheck = () => {
    const at = cursor.get();
    const active = columns[at.column]?.field;
    if (active?.fieldtype !== 'Check' || !isOpen(active, at.row)) return false;
    const path = `${table}[${at.row}].${active.fieldname}`;
    store.set(path, Number(store.get(path)) ? 0 : 1);
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
  return (
    <ChildGridContext value={grid}>
      <div className={css['label']} id={`${gridId}-label`}>
        {labelOf(field)}
        {isRequired && (
          <span aria-hidden="true" className={css['star']}>
            {' *'}
          </span>
        )}
        <span className={css['count']}>{tn(count, '{count} row', '{count} rows')}</span>
      </div>
      <div className={error ? `${css['frame']} ${css['frameWrong']}` : css['frame']}>
        <Grid
          ref={scroller}
          tabIndex={0}
          aria-labelledby={`${gridId}-label`}
          aria-describedby={error ? `${gridId}-error` : undefined}
          aria-rowcount={count + 1}
          aria-colcount={columns.length + 2}
          aria-multiselectable
          aria-readonly={isReadOnly}
          aria-activedescendant={count > 0 && !isEditing ? cellId(gridId, row, column) : undefined}
          className={css['grid']}
          style={{ maxHeight: (SEEN + 1) * LINE + 2 }}
          onKeyDown={(event) => {
            if (event.target !== event.currentTarget || event.nativeEvent.isComposing) return;
            if (pressInGrid(event, keyboard)) event.preventDefault();
          }}
          onCopy={(event) => {
            if (event.target instanceof HTMLInputElement || count === 0) return;
            event.clipboardData.setData('text/plain', actions.copy());
            event.preventDefault();
          }}
          onPaste={(event) => {
            if (event.target !== event.currentTarget || isReadOnly) return;
            event.preventDefault();
            actions.paste(event.clipboardData.getData('text/plain'));
          }}
          onClick={(event) => {
            const place = placeOf(event.target);
            if (!place || isEditingControl(event.target)) return;
            const key = store.rows(table)[place.row]?.key;
            if (place.isHead && event.shiftKey)
              extendTo(cursor, place.row, (at) => store.rows(table)[at]?.key);
            else if (place.isHead && key !== undefined) toggleRow(cursor, place.row, key);
            else {
              goTo(cursor, place.row, place.column);
              toggleCheck();
            }
            grid.focus();
          }}
          onDoubleClick={(event) => {
            const place = placeOf(event.target);
            if (place && !place.isHead && !isEditingControl(event.target)) edit(false);
          }}
        >
          <Header columns={columns} width={width} />
          <RowGroup className={css['body']} style={{ height: rows.getTotalSize(), width }}>
            {rows.getVirtualItems().map((item) => (
              <ChildRow
                key={item.key}
                rowKey={String(item.key)}
                index={item.index}
                top={item.start}
                width={width}
              />
            ))}
          </RowGroup>
          {count > 0 && <ChildFooter width={width} />}
        </Grid>
        {count === 0 && (
          <p className={css['empty']}>
            {isReadOnly ? t('No rows') : t('No rows yet. Add one, or paste rows from a spreadsheet.')}
          </p>
        )}
      </div>
      {error && (
        <p className={css['error']} id={`${gridId}-error`}>
          {error}
        </p>
      )}
      {!isReadOnly && <ChildToolbar actions={actions} />}
      {opened !== null && opened < count && (
        <Drawer
          isOpen
          onClose={() => {
            open(null);
            goTo(cursor, opened, cursor.get().column);
          }}
          title={t('{table}: row {number} of {count}', { table: labelOf(field), number: opened + 1, count })}
          width={720}
        >
          <RowTools row={opened} count={count} actions={actions} onMove={open} />
          <FormContext value={isReadOnly ? { ...form, canWrite: false } : form}>
            <RowForm table={table} row={opened} child={child} key={store.rows(table)[opened]?.key} />
          </FormContext>
        </Drawer>
      )}
    </ChildGridContext>
  );
}

function Header({ columns, width }: Pick<ChildGridParts, 'columns'> & { readonly width: number }) {
  return (
    <RowGroup className={css['header']} style={{ width }}>
      <GridRow aria-rowindex={1} className={css['headRow']}>
        <GridHead aria-colindex={1} className={css['head']}>
          <span className="visually-hidden">{t('Row')}</span>#
        </GridHead>
        {columns.map(({ field, width: cellWidth }, column) => (
          <GridHead
            key={field.fieldname}
            aria-colindex={column + 2}
            className={css['title']}
            style={{ width: cellWidth }}
            title={labelOf(field)}
          >
            {labelOf(field)}
            {field.reqd && (
              <span aria-hidden="true" className={css['star']}>
                {' *'}
              </span>
            )}
          </GridHead>
        ))}
        <GridHead aria-colindex={columns.length + 2} className={css['tail']}>
          <span className="visually-hidden">{t('Open')}</span>
        </GridHead>
      </GridRow>
    </RowGroup>
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
  const path = wish?.path ?? '';
  const at = wish?.at ?? 0;
  useEffect(() => {
    if (at === 0 || !path.startsWith(`${table}[`)) return;
    const { row = 0, cell } = parsePath(path);
    const column = columns.findIndex(({ field }) => field.fieldname === cell);
    goTo(cursor, row, Math.max(0, column));
    if (cell !== undefined && column < 0) openRow(row);
    else focus();
  }, [path, at, table, columns, cursor, openRow, focus]);
}

function placeOf(target: EventTarget): { row: number; column: number; isHead: boolean } | null {
  if (!(target instanceof Element) || target.closest('button')) return null;
  const row = target.closest('[data-row]')?.getAttribute('data-row');
  if (row === undefined || row === null) return null;
  const column = target.closest('[data-column]')?.getAttribute('data-column');
  return { row: Number(row), column: Number(column ?? 0), isHead: target.closest('[data-head]') !== null };
}

function isEditingControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, button, [role="option"]') !== null;
}
