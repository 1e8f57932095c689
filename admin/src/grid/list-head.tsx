import { type DragEvent, type PointerEvent, useRef } from 'react';
import { isRightToLeft, language, t } from '../base/i18n.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { IconButton } from '../widgets/button.tsx';
import { Icon } from '../widgets/icon.tsx';
import { Menu } from '../widgets/menu.tsx';
import { GridHead } from './grid-parts.tsx';
import { type Column, NARROWEST, WIDEST } from './list-columns.ts';
import css from './list-grid.module.css';
import type { ListHeaderProps } from './list-header-props.ts';
import { cellClass, type PlacedColumn, placeOf } from './list-row.tsx';

interface HeadProps extends PlacedColumn, Pick<ListHeaderProps, 'gridId' | 'columns' | 'order' | 'actions'> {
  readonly isActive: boolean;
}

const DRAGGED = 'application/x-chancery-column';
/** Pixels per resize step of the menu. */
const STEP = 40;

/** The head of a column. */
export function ListHead(props: HeadProps) {
  const { column, index, offset, gridId, order, actions, isActive } = props;
  const name = column.field.fieldname;
  const label = labelOf(column.field);
  const term = order.find((one) => one.field === name);
  const rank = order.length > 1 && term ? order.indexOf(term) + 1 : null;
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
      {...dragging(name, (dropped) => actions.move(dropped, index))}
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
      <HeadMenu {...props} />
      <Edge column={column} onResize={(width) => actions.resize(name, width)} />
    </GridHead>
  );
}

function dragging(name: string, onDrop: (dropped: string) => void) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(DRAGGED, name);
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      onDrop(event.dataTransfer.getData(DRAGGED));
    },
  };
}

function HeadMenu({ column, index, columns, actions }: HeadProps) {
  const name = column.field.fieldname;
  const label = labelOf(column.field);
  const resized = (by: number) => actions.resize(name, widthWithin(column.width + by));
  return (
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
    const way = (event.clientX - from.current.x) * (isRightToLeft(language()) ? -1 : 1);
    onResize(widthWithin(from.current.width + way));
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

function widthWithin(width: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)));
}
