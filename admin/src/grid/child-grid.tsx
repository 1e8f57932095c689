import { useContext } from 'react';
import { t, tn } from '../base/i18n.ts';
import { FormContext, useForm } from '../form/form-context.ts';
import { RowForm } from '../form/row-form.tsx';
import { SectionTable } from '../form/section-table.ts';
import type { TableProps } from '../form/table-slot.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { Drawer } from '../widgets/dialogs.tsx';
import type { ChildActions } from './child-actions.ts';
import { ChildCards } from './child-cards.tsx';
import { extendTo, goTo, toggleRow } from './child-cursor.ts';
import { ChildFooter, ChildToolbar } from './child-footer.tsx';
import css from './child-grid.module.css';
import { ChildGridContext, cellId } from './child-grid-context.ts';
import { ChildHeader } from './child-header.tsx';
import { pressInGrid } from './child-keys.ts';
import { ChildRow } from './child-row.tsx';
import { RowTools } from './child-row-tools.tsx';
import { Grid, RowGroup } from './grid-parts.tsx';
import { type ChildTable, LINE, SEEN, useChildTable } from './use-child-grid.ts';
import { useClipboard } from './use-clipboard.ts';
import { useNarrow } from './use-narrow.ts';

/** A child table as a spreadsheet. Only visible rows are mounted, and every action has a key. */
export function ChildGrid(props: TableProps) {
  const { isReadOnly, error } = props;
  const state = useChildTable(props);
  const isNarrow = useNarrow();
  const { grid, actions, opened, count } = state;
  return (
    <ChildGridContext value={grid}>
      <Label {...props} id={grid.gridId} />
      <div className={error ? `${css['frame']} ${css['frameWrong']}` : css['frame']}>
        {isNarrow ? (
          <ChildCards count={count} labelledBy={`${grid.gridId}-label`} />
        ) : (
          <Sheet state={state} hasError={error !== undefined} />
        )}
        {count === 0 && <p className={css['empty']}>{emptyText(isReadOnly, isNarrow)}</p>}
      </div>
      {error && (
        <p className={css['error']} id={`${grid.gridId}-error`}>
          {error}
        </p>
      )}
      <div className={css['below']}>
        {!isReadOnly && <ChildToolbar actions={isNarrow ? opening(state) : actions} />}
        <span className={css['count']}>{tn(count, '{count} row', '{count} rows')}</span>
      </div>
      {opened !== null && opened < count && <RowDrawer {...props} state={state} row={opened} />}
    </ChildGridContext>
  );
}

function emptyText(isReadOnly: boolean, isNarrow: boolean): string {
  if (isReadOnly) return t('No rows');
  return isNarrow ? t('No rows yet') : t('No rows yet. Type, or paste rows from a spreadsheet.');
}

// A card has no cells to type into: a new row opens.
function opening({ actions, open, grid }: ChildTable): ChildActions {
  return {
    ...actions,
    addRow: (where) => {
      actions.addRow(where);
      open(grid.cursor.get().row);
    },
  };
}

// The section above may already have this title.
function Label({ field, isRequired, id }: TableProps & { readonly id: string }) {
  const isTitled = useContext(SectionTable) === field.fieldname;
  return (
    <div className={isTitled ? 'visually-hidden' : css['label']} id={`${id}-label`}>
      {labelOf(field)}
      {isRequired && (
        <span aria-hidden="true" className={css['star']}>
          {' *'}
        </span>
      )}
    </div>
  );
}

interface SheetProps {
  readonly state: ChildTable;
  readonly hasError: boolean;
}

function Sheet({ state, hasError }: SheetProps) {
  const { grid, rows, actions, active, count, width, scroller } = state;
  const { gridId, columns, isReadOnly } = grid;
  useClipboard(scroller, {
    copy: count > 0 ? actions.copy : null,
    paste: isReadOnly ? null : actions.paste,
  });
  return (
    <Grid
      ref={scroller}
      tabIndex={0}
      aria-labelledby={`${gridId}-label`}
      aria-describedby={hasError ? `${gridId}-error` : undefined}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 2}
      aria-multiselectable
      aria-readonly={isReadOnly}
      aria-activedescendant={
        count > 0 && !active.isEditing ? cellId(gridId, active.row, active.column) : undefined
      }
      className={css['grid']}
      style={{ maxHeight: (SEEN + 1) * LINE + 2 }}
      {...useSheetEvents(state)}
    >
      <ChildHeader width={width} />
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
  );
}

function useSheetEvents({ table, grid, keyboard }: ChildTable): React.ComponentProps<'div'> {
  const { store } = useForm();
  const { cursor } = grid;
  return {
    onKeyDown: (event) => {
      if (event.target !== event.currentTarget || event.nativeEvent.isComposing) return;
      if (pressInGrid(event, keyboard)) event.preventDefault();
    },
    onClick: (event) => {
      const place = placeOf(event.target);
      if (!place || isEditingControl(event.target)) return;
      const key = store.rows(table)[place.row]?.key;
      if (place.isHead && event.shiftKey) extendTo(cursor, place.row, (at) => store.rows(table)[at]?.key);
      else if (place.isHead && key !== undefined) toggleRow(cursor, place.row, key);
      else {
        goTo(cursor, place.row, place.column);
        keyboard.toggleCheck();
      }
      grid.focus();
    },
    onDoubleClick: (event) => {
      const place = placeOf(event.target);
      if (place && !place.isHead && !isEditingControl(event.target)) keyboard.edit(false);
    },
  };
}

interface RowDrawerProps extends TableProps {
  readonly state: ChildTable;
  readonly row: number;
}

function RowDrawer({ field, child, isReadOnly, state, row }: RowDrawerProps) {
  const form = useForm();
  const { table, count, grid, actions, open } = state;
  return (
    <Drawer
      isOpen
      onClose={() => {
        open(null);
        goTo(grid.cursor, row, grid.cursor.get().column);
      }}
      title={t('{table}: row {number} of {count}', { table: labelOf(field), number: row + 1, count })}
      width={720}
    >
      <RowTools row={row} count={count} actions={actions} onMove={open} />
      <FormContext value={isReadOnly ? { ...form, canWrite: false } : form}>
        <RowForm table={table} row={row} child={child} key={form.store.rows(table)[row]?.key} />
      </FormContext>
    </Drawer>
  );
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
