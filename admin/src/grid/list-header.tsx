import { type PointerEvent, useRef } from 'react';
import { t } from '../base/i18n.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { IconButton } from '../widgets/button.tsx';
import { Icon } from '../widgets/icon.tsx';
import { Menu } from '../widgets/menu.tsx';
import { GridHead, GridRow } from './grid-parts.tsx';
import { type Column, NARROWEST, WIDEST } from './list-columns.ts';
import css from './list-grid.module.css';
import { cellClass, type PlacedColumn, placeOf } from './list-row.tsx';
import type { OrderTerm } from './list-search.ts';

/** Actions on a column. */
export interface ColumnActions {
  readonly sort: (fieldname: string, options?: { readonly isAdding?: boolean }) => void;
  readonly order: (fieldname: string, isDescending: boolean) => void;
  readonly filter: (fieldname: string) => void;
  readonly pin: (fieldname: string, isPinned: boolean) => void;
  /** Moves the column to a position among all columns. */
  readonly move: (fieldname: string, to: number) => void;
  /** Null resets the default width. */
  readonly resize: (fieldname: string, width: number | null) => void;
  readonly hide: (fieldname: string) => void;
}

export interface ListHeaderProps {
  readonly gridId: string;
  readonly width: number;
  readonly columns: readonly Column[];
  readonly placed: readonly PlacedColumn[];
  readonly order: readonly OrderTerm[];
  readonly actions: ColumnActions;
  /** Selection state of all rows. */
  readonly selected: 'all' | 'some' | 'none';
  readonly onSelectAll: (isOn: boolean) => void;
  /** The active column if the header has the active cell, otherwise -1. */
  readonly activeColumn: number;
}

/** Column headers: click to sort, drag to move, drag the edge to resize. Menus offer the same actions. */
export function ListHeader({
  gridId,
  width,
  columns,
  placed,
  order,
  actions,
  selected,
  onSelectAll,
  activeColumn,
}: ListHeaderProps) {
  return (
    <GridRow aria-rowindex={1} className={`${css['row']} ${css['head']}`} style={{ width }} data-row={-1}>
      <GridHead aria-colindex={1} className={`${css['cell']} ${css['select']}`}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t('Select all matching rows')}
          checked={selected === 'all'}
          ref={(box) => {
            if (box) box.indeterminate = selected === 'some';
          }}
          onChange={(event) => onSelectAll(event.currentTarget.checked)}
        />
      </GridHead>
      {placed.map((one) => (
        <Head
          key={one.column.field.fieldname}
          {...one}
          gridId={gridId}
          columns={columns}
          order={order}
          actions={actions}
          isActive={activeColumn === one.index}
        />
      ))}
    </GridRow>
  );
}

interface HeadProps extends PlacedColumn, Pick<ListHeaderProps, 'gridId' | 'columns' | 'order' | 'actions'> {
  readonly isActive: boolean;
}

const DRAGGED = 'application/x-chancery-column';
/** Pixels per resize step of the menu. */
const STEP = 40;

function Head({ column, index, offset, gridId, columns, order, actions, isActive }: HeadProps) {
  const { field } = column;
  const name = field.fieldname;
  const label = labelOf(field);
  const term = order.find((one) => one.field === name);
  const rank = order.length > 1 && term ? order.indexOf(term) + 1 : null;
  const resized = (by: number) =>
    actions.resize(name, Math.min(WIDEST, Math.max(NARROWEST, column.width + by)));
  return (
    <GridHead
      id={`${gridId}--1-${index}`}
      aria-colindex={index + 2}
      aria-sort={term ? (term.isDescending ? 'descending' : 'ascending') : undefined}
      className={`${cellClass(column)} ${css['headCell']}`}
      data-column={index}
      data-fieldname={name}
      data-active={isActive || undefined}
      style={placeOf(column, offset)}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, name);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        actions.move(event.dataTransfer.getData(DRAGGED), index);
      }}
    >
      <button
        type="button"
        tabIndex={-1}
        className={css['sort']}
        title={label}
        onClick={(event) => actions.sort(name, { isAdding: event.shiftKey })}
      >
        <span>{label}</span>
        {term && <Icon name={term.isDescending ? 'down' : 'up'} size={14} />}
        {rank !== null && <small>{rank}</small>}
      </button>
      <span className={css['headMenu']}>
        <Menu
          label={label}
          target={
            <IconButton
              isSmall
              hasTooltip={false}
              tabIndex={-1}
              icon="more"
              label={t('Column {label}', { label })}
            />
          }
          items={[
            { label: t('Sort ascending'), icon: 'up', run: () => actions.order(name, false) },
            { label: t('Sort descending'), icon: 'down', run: () => actions.order(name, true) },
            { label: t('Filter by this'), icon: 'filter', run: () => actions.filter(name) },
            'divider',
            index > 0 && {
              label: column.isPinned ? t('Unpin') : t('Pin'),
              icon: 'lock',
              run: () => actions.pin(name, !column.isPinned),
            },
            index > 0 && {
              label: t('Move towards the start'),
              icon: 'start',
              run: () => actions.move(name, index - 1),
            },
            index < columns.length - 1 && {
              label: t('Move towards the end'),
              icon: 'end',
              run: () => actions.move(name, index + 1),
            },
            { label: t('Wider'), icon: 'plus', run: () => resized(STEP) },
            { label: t('Narrower'), icon: 'columns', run: () => resized(-STEP) },
            { label: t('Default width'), icon: 'refresh', run: () => actions.resize(name, null) },
            'divider',
            columns.length > 1 && {
              label: t('Hide this column'),
              icon: 'close',
              run: () => actions.hide(name),
            },
          ]}
        />
      </span>
      <Edge column={column} onResize={(width) => actions.resize(name, width)} />
    </GridHead>
  );
}

/** The edge of a header, which resizes the column. */
function Edge({
  column,
  onResize,
}: {
  readonly column: Column;
  readonly onResize: (width: number | null) => void;
}) {
  const from = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const drag = (event: PointerEvent<HTMLSpanElement>) => {
    if (!from.current) return;
    const way =
      (event.clientX - from.current.x) * (getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1);
    onResize(Math.min(WIDEST, Math.max(NARROWEST, from.current.width + way)));
  };
  return (
    <span
      aria-hidden="true"
      className={css['edge']}
      data-edge
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onDoubleClick={() => onResize(null)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: column.width };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        from.current = null;
      }}
    />
  );
}
