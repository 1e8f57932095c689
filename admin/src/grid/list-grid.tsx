import { Grid, RowGroup } from './grid-parts.tsx';
import { ListCard } from './list-card.tsx';
import css from './list-grid.module.css';
import type { ListGridProps } from './list-grid-props.ts';
import { ListHeader } from './list-header.tsx';
import { keepFromMarking, pressOf } from './list-press.ts';
import { ListRow } from './list-row.tsx';
import { isNothing } from './list-selection.ts';
import { useListGrid } from './use-list-grid.ts';

type GridState = ReturnType<typeof useListGrid>;

/** A virtualized list of a doctype's rows. Only visible rows and columns are mounted. */
export function ListGrid(props: ListGridProps) {
  const grid = useListGrid(props);
  const { window, scroll, extent, cursor, columns, isNarrow } = grid;
  const { isEmpty, first, last } = scroll;
  return (
    <div className={css['frame']}>
      {window.error !== null && props.whenFailed(window.error, window.retry)}
      {isEmpty && window.error === null && props.whenEmpty}
      {props.above}
      <Grid
        ref={grid.scroller}
        tabIndex={0}
        aria-label={props.label}
        aria-multiselectable
        aria-rowcount={extent.isExact ? extent.rows + (isNarrow ? 0 : 1) : -1}
        aria-colcount={isNarrow ? 1 : columns.length + 1}
        aria-busy={window.isFetching}
        aria-activedescendant={grid.activeId}
        className={css['grid']}
        hidden={isEmpty || (window.error !== null && scroll.isFirstTime)}
        onKeyDown={cursor.onKeyDown}
        onMouseDown={keepFromMarking}
        onClick={(event) => cursor.onPress(pressOf(event), event)}
        onAuxClick={(event) => cursor.onPress(pressOf(event), event)}
      >
        {!isNarrow && <Head grid={grid} {...props} />}
        <Body grid={grid} />
      </Grid>
      {props.footer({ first, last, extent })}
    </div>
  );
}

function Head({ grid, order, actions, selection }: ListGridProps & { readonly grid: GridState }) {
  const { gridId, width, columns, placed, cursor } = grid;
  const isAll = selection.mode === 'all' && selection.names.size === 0;
  return (
    <RowGroup className={css['headGroup']} style={{ width }}>
      <ListHeader
        {...{ gridId, width, columns, placed, order, actions }}
        selected={isNothing(selection) ? 'none' : isAll ? 'all' : 'some'}
        onSelectAll={cursor.selectAll}
        activeColumn={cursor.active.row === -1 ? cursor.active.column : -1}
      />
    </RowGroup>
  );
}

function Body({ grid }: { readonly grid: GridState }) {
  const { scroll, window, columns, placed, width, isNarrow, rowProps } = grid;
  return (
    <RowGroup className={css['body']} style={{ height: scroll.height, width: isNarrow ? undefined : width }}>
      {scroll.items.map(({ key, index, start }) => {
        const shared = rowProps(index, start - scroll.head, window.rowAt(index));
        return isNarrow ? (
          <ListCard key={key} {...shared} columns={columns} />
        ) : (
          <ListRow key={key} {...shared} width={width} placed={placed} />
        );
      })}
    </RowGroup>
  );
}
