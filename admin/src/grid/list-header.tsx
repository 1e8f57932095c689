import { t } from '../base/i18n.ts';
import { GridHead, GridRow } from './grid-parts.tsx';
import css from './list-grid.module.css';
import { ListHead } from './list-head.tsx';
import type { ListHeaderProps } from './list-header-props.ts';
import { SelectBox } from './select-box.tsx';

/** Column headers: click to sort, drag to move, drag the edge to resize. Menus offer the same actions. */
export function ListHeader(props: ListHeaderProps) {
  const { gridId, width, columns, placed, order, actions, selected, onSelectAll, activeColumn } = props;
  return (
    <GridRow aria-rowindex={1} className={`${css['row']} ${css['head']}`} style={{ width }} data-row={-1}>
      <GridHead aria-colindex={1} className={`${css['cell']} ${css['select']}`}>
        <SelectBox
          label={t('Select all matching rows')}
          isOn={selected === 'all'}
          isMixed={selected === 'some'}
          onChange={onSelectAll}
        />
      </GridHead>
      {placed.map((one) => (
        <ListHead
          key={one.column.field.fieldname}
          {...{ ...one, gridId, columns, order, actions }}
          isActive={activeColumn === one.index}
        />
      ))}
    </GridRow>
  );
}
