import { memo, type ReactNode } from 'react';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { formatValue } from '../meta/field-values.ts';
import { isNumber } from '../meta/fieldtypes.ts';
import type { titleOf as TitleOf } from '../meta/link-titles.ts';
import { GridCell, GridRow } from './grid-parts.tsx';
import { ListCell } from './list-cells.tsx';
import type { Column } from './list-columns.ts';
import css from './list-grid.module.css';
import type { Row } from './list-requests.ts';
import { RowBox } from './select-box.tsx';

/** A mounted column and its position. */
export interface PlacedColumn {
  readonly column: Column;
  /** Position among all columns, from 0. */
  readonly index: number;
  /** In pixels: from the start of the row if pinned, otherwise from the previous mounted column. */
  readonly offset: number;
}

export interface ListRowProps {
  readonly doctype: string;
  readonly gridId: string;
  readonly index: number;
  readonly top: number;
  readonly width: number;
  /** Undefined while it loads. */
  readonly row: Row | undefined;
  readonly placed: readonly PlacedColumn[];
  readonly isSelected: boolean;
  /** The column of the active cell; -1 if another row has it. */
  readonly activeColumn: number;
  readonly titleOf: typeof TitleOf;
  /** The titles of the row's links. When one arrives, the row renders again. */
  readonly titles: string;
}

/** One row. Re-renders only when its own data changes. */
export const ListRow = memo(function ListRow(props: ListRowProps) {
  const { index, top, width, row, placed, isSelected, activeColumn, gridId } = props;
  return (
    <GridRow
      className={css['row']}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-row={index}
      data-active={activeColumn >= 0 || undefined}
      style={{ top, width }}
    >
      <SelectCell row={row} isSelected={isSelected} />
      {placed.map(({ column, index: at, offset }) => (
        <GridCell
          key={column.field.fieldname}
          id={`${gridId}-${index}-${at}`}
          aria-colindex={at + 2}
          data-column={at}
          data-active={activeColumn === at || undefined}
          className={cellClass(column)}
          style={placeOf(column, offset)}
        >
          {row === undefined ? (
            <span className={css['bone']} />
          ) : (
            <Content {...props} row={row} at={at} column={column} />
          )}
        </GridCell>
      ))}
    </GridRow>
  );
});

/** The class of a column's cell or header. */
export function cellClass(column: Column): string {
  const { fieldtype, fieldname } = column.field;
  const isAtEnd = isNumber(fieldtype) && fieldname !== 'docstatus';
  return [css['cell'], column.isPinned ? css['pinned'] : '', isAtEnd ? css['atEnd'] : '']
    .filter(Boolean)
    .join(' ');
}

/** The style that positions a cell in its column. */
export function placeOf(column: Column, offset: number) {
  return column.isPinned
    ? { width: column.width, insetInlineStart: offset }
    : { width: column.width, marginInlineStart: offset };
}

function Content({
  doctype,
  row,
  column,
  at,
  titleOf,
}: ListRowProps & { row: Row; column: Column; at: number }) {
  const { field } = column;
  const cell = <ListCell field={field} value={row[field.fieldname]} row={row} titleOf={titleOf} />;
  return at === 0 ? <TitleLink doctype={doctype} row={row} column={column} /> : cell;
}

/** The value of the first column, as a link to the document. */
export function TitleLink({
  doctype,
  row,
  column,
}: {
  readonly doctype: string;
  readonly row: Row;
  readonly column: Column;
}) {
  const name = String(row['name']);
  const title = formatValue(column.field, row[column.field.fieldname]) || name;
  return (
    <PathLink
      className={css['title']}
      to={paths.record(doctype, name)}
      tabIndex={-1}
      dir="auto"
      title={title}
    >
      {title.length > 200 ? `${title.slice(0, 200)}…` : title}
    </PathLink>
  );
}

function SelectCell({
  row,
  isSelected,
}: {
  readonly row: Row | undefined;
  readonly isSelected: boolean;
}): ReactNode {
  return (
    <GridCell aria-colindex={1} className={`${css['cell']} ${css['select']}`} data-select>
      {row && <RowBox row={row} isSelected={isSelected} />}
    </GridCell>
  );
}
