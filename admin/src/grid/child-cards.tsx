import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { t } from '../base/i18n.ts';
import { pathBeside } from '../form/field-state.ts';
import { useForm, useValue } from '../form/form-context.ts';
import { isNumber } from '../meta/fieldtypes.ts';
import type { Field } from '../meta/meta.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { Icon } from '../widgets/icon.tsx';
import css from './child-cards.module.css';
import { CellValue } from './child-cell.tsx';
import { useChildGrid } from './child-grid-context.ts';

/** Height of a card in pixels: two lines, so that no card is measured. */
const CARD = 60;
/** Cards in view before the list scrolls. */
const SEEN = 8;

/** The rows of a table on a phone: a card opens the form of its row. */
export function ChildCards({ count, labelledBy }: { readonly count: number; readonly labelledBy: string }) {
  const { store } = useForm();
  const { table } = useChildGrid();
  const scroller = useRef<HTMLDivElement>(null);
  const cards = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD,
    getItemKey: (index) => store.rows(table)[index]?.key ?? index,
    overscan: 4,
  });
  if (count === 0) return null;
  return (
    <div ref={scroller} className={css['scroller']} style={{ maxHeight: SEEN * CARD }}>
      <ul className={css['cards']} style={{ height: cards.getTotalSize() }} aria-labelledby={labelledBy}>
        {cards.getVirtualItems().map((item) => (
          <Card key={item.key} row={item.index} top={item.start} count={count} />
        ))}
      </ul>
    </div>
  );
}

interface CardProps {
  readonly row: number;
  readonly top: number;
  readonly count: number;
}

// The first text is the title of the row, and its last number, often the amount, stands at the end.
function Card({ row, top, count }: CardProps) {
  const { columns, openRow, table } = useChildGrid();
  useValue(`${table}[${row}]`);
  const fields = columns.map(({ field }) => field);
  const title = fields.find(({ fieldtype }) => !isNumber(fieldtype)) ?? fields[0];
  const figure = fields.findLast((field) => field !== title && isNumber(field.fieldtype));
  const rest = fields.filter((field) => field !== title && field !== figure);
  return (
    <li
      className={css['card']}
      style={{ transform: `translateY(${top}px)` }}
      aria-setsize={count}
      aria-posinset={row + 1}
    >
      <button type="button" className={css['open']} onClick={() => openRow(row)}>
        <span className={css['number']}>
          <span className="visually-hidden">{t('Row')}</span> {row + 1}
        </span>
        <span className={css['body']}>
          <span className={css['line']}>
            <strong className={css['title']}>{title && <CellValue field={title} row={row} />}</strong>
            {figure && <Value field={figure} row={row} />}
          </span>
          <span className={`${css['line']} ${css['below']}`}>
            {rest.map((field) => (
              <Labelled key={field.fieldname} field={field} row={row} />
            ))}
          </span>
        </span>
        <Icon name="end" size={14} />
      </button>
    </li>
  );
}

interface ValueProps {
  readonly field: Field;
  readonly row: number;
}

function Value({ field, row }: ValueProps) {
  return (
    <span className={css['figure']}>
      <span className="visually-hidden">{labelOf(field)}:</span> <CellValue field={field} row={row} />
    </span>
  );
}

// An empty value has no label either.
function Labelled({ field, row }: ValueProps) {
  const form = useForm();
  const { table, meta } = useChildGrid();
  const value = form.store.get(pathBeside(form, { meta, prefix: `${table}[${row}].` }, field.fieldname));
  if (value === null || value === undefined || value === '') return null;
  return (
    <span className={css['labelled']}>
      {labelOf(field)} <CellValue field={field} row={row} />
    </span>
  );
}
