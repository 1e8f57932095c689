import { memo } from 'react';
import { labelOf } from '../meta/standard-fields.ts';
import { GridCell, GridRow } from './grid-parts.tsx';
import { ListCell } from './list-cells.tsx';
import type { Column } from './list-columns.ts';
import css from './list-grid.module.css';
import { type ListRowProps, TitleLink } from './list-row.tsx';
import { RowBox } from './select-box.tsx';

/** Fieldtypes shown beside the title; other values go below it. */
const BADGES = ['Select', 'Check'];
const BELOW = 2;

/** A list row on a narrow screen: title, state, and a line of further values. */
export const ListCard = memo(function ListCard({
  columns,
  ...props
}: Omit<ListRowProps, 'placed' | 'width'> & { readonly columns: readonly Column[] }) {
  const { doctype, gridId, index, top, row, isSelected, activeColumn, titleOf } = props;
  const [first, ...rest] = columns;
  const badge = rest.find(({ field }) => field.fieldtype === 'Select' || field.fieldname === 'docstatus');
  const isFilled = ({ field }: Column) => !['', null, undefined].includes(row?.[field.fieldname] as string);
  const below = rest
    .filter((one) => one !== badge && !BADGES.includes(one.field.fieldtype) && isFilled(one))
    .slice(0, BELOW);
  const cellOf = ({ field }: Column) =>
    row && <ListCell field={field} value={row[field.fieldname]} row={row} titleOf={titleOf} />;
  return (
    <GridRow
      className={`${css['row']} ${css['card']}`}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-row={index}
      data-active={activeColumn >= 0 || undefined}
      style={{ top }}
    >
      <GridCell
        id={`${gridId}-${index}-0`}
        aria-colindex={1}
        data-column={0}
        data-active={activeColumn >= 0 || undefined}
        className={css['cardCell']}
      >
        <span data-select className={css['cardSelect']}>
          {row && <RowBox row={row} isSelected={isSelected} />}
        </span>
        <span className={css['cardBody']}>
          <span className={css['cardLine']}>
            {row && first ? (
              <TitleLink doctype={doctype} row={row} column={first} />
            ) : (
              <span className={css['bone']} />
            )}
            {badge && cellOf(badge)}
          </span>
          <span className={`${css['cardLine']} ${css['cardBelow']}`}>
            {below.map((column) => (
              <span key={column.field.fieldname} className={css['cardValue']}>
                <span className="visually-hidden">{labelOf(column.field)}: </span>
                {cellOf(column)}
              </span>
            ))}
          </span>
        </span>
      </GridCell>
    </GridRow>
  );
});
