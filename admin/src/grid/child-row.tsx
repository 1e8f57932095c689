import { memo, useCallback, useSyncExternalStore } from 'react';
import { t } from '../base/i18n.ts';
import { useForm } from '../form/form-context.ts';
import { Icon } from '../widgets/icon.tsx';
import { ChildCell } from './child-cell.tsx';
import { columnStyle } from './child-columns.ts';
import type { Cursor } from './child-cursor.ts';
import css from './child-grid.module.css';
import { cellId, useChildGrid } from './child-grid-context.ts';
import { GridCell, GridRow, GridRowHead } from './grid-parts.tsx';

interface RowProps {
  readonly index: number;
  /** The key of the row at this position. */
  readonly rowKey: string;
  readonly top: number;
  readonly width: number;
}

/**
 * One row: its number, which is also the handle to move and select it, its cells, and the button that opens
 * its form.
 */
export const ChildRow = memo(function ChildRow({ index, rowKey, top, width }: RowProps) {
  const { store } = useForm();
  const { table, columns, cursor, isReadOnly, gridId, openRow } = useChildGrid();
  // '' in all other rows, so that a cursor move renders only two rows.
  const place = useCursor(cursor, (state) =>
    state.row === index ? `${state.column} ${state.isEditing}` : '',
  );
  const isChosen = useCursor(cursor, (state) => state.chosen.has(rowKey));
  const [active, isEditing] =
    place === '' ? [-1, false] : [Number.parseInt(place, 10), place.endsWith('true')];
  return (
    <GridRow
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      data-row={index}
      className={isChosen ? `${css['row']} ${css['chosen']}` : css['row']}
      style={{ transform: `translateY(${top}px)`, width }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(dragType(table))) event.preventDefault();
      }}
      onDrop={(event) => {
        const from = Number.parseInt(event.dataTransfer.getData(dragType(table)), 10);
        event.preventDefault();
        if (Number.isInteger(from) && from !== index) store.moveRow(table, from, index);
      }}
    >
      <GridRowHead
        id={cellId(gridId, index, -1)}
        aria-colindex={1}
        data-head=""
        className={css['head']}
        draggable={!isReadOnly}
        title={isReadOnly ? undefined : t('Click to select, drag to move')}
        onDragStart={(event) => event.dataTransfer.setData(dragType(table), String(index))}
      >
        {index + 1}
      </GridRowHead>
      {columns.map((one, column) => (
        <div key={one.field.fieldname} role="none" className={css['slot']} style={columnStyle(one)}>
          <ChildCell
            field={one.field}
            row={index}
            column={column}
            isActive={active === column}
            isEditing={isEditing && active === column}
          />
        </div>
      ))}
      <GridCell aria-colindex={columns.length + 2} className={css['tail']}>
        <button
          type="button"
          tabIndex={-1}
          className={css['open']}
          aria-label={t('Open row {number}', { number: index + 1 })}
          onClick={() => openRow(index)}
        >
          <Icon name={isReadOnly ? 'eye' : 'edit'} size={14} />
        </button>
      </GridCell>
    </GridRow>
  );
});

function useCursor<T>(cursor: Cursor, select: (state: ReturnType<Cursor['get']>) => T): T {
  const subscribe = useCallback((listener: () => void) => cursor.subscribe(listener), [cursor]);
  return useSyncExternalStore(subscribe, () => select(cursor.get()));
}

/** A type per table: rows can be dragged only within their table. */
function dragType(table: string): string {
  return `application/x-row-of-${table.replaceAll('_', '-')}`;
}
