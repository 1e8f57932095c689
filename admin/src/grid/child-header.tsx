import { t } from '../base/i18n.ts';
import { isNumber } from '../meta/fieldtypes.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { columnStyle } from './child-columns.ts';
import css from './child-grid.module.css';
import { useChildGrid } from './child-grid-context.ts';
import { GridHead, GridRow, RowGroup } from './grid-parts.tsx';

/** The column heads of a table's grid. */
export function ChildHeader({ width }: { readonly width: number }) {
  const { columns } = useChildGrid();
  return (
    <RowGroup className={css['header']} style={{ width }}>
      <GridRow aria-rowindex={1} className={css['headRow']}>
        <GridHead aria-colindex={1} className={css['head']}>
          <span className="visually-hidden">{t('Row')}</span>#
        </GridHead>
        {columns.map((one, column) => (
          <GridHead
            key={one.field.fieldname}
            aria-colindex={column + 2}
            className={isNumber(one.field.fieldtype) ? `${css['title']} ${css['titleNumber']}` : css['title']}
            style={columnStyle(one)}
            title={labelOf(one.field)}
          >
            {labelOf(one.field)}
            {one.field.reqd && (
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
