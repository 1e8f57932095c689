import { memo } from 'react';
import { t } from '../base/i18n.ts';
import { cellPath } from '../form/doc-path.ts';
import { pathBeside } from '../form/field-state.ts';
import { useFieldError, useForm, useValue } from '../form/form-context.ts';
import { tellRendered } from '../form/render-probe.ts';
import { isNumber } from '../meta/fieldtypes.ts';
import { useLinkTitle } from '../meta/link-titles.ts';
import type { Field } from '../meta/meta.ts';
import { Icon } from '../widgets/icon.tsx';
import { Muted } from '../widgets/layout.tsx';
import { shownOf } from './child-actions.ts';
import { CellEditor } from './child-editor.tsx';
import css from './child-grid.module.css';
import { cellId, useChildGrid } from './child-grid-context.ts';
import { GridCell } from './grid-parts.tsx';

interface CellProps {
  readonly field: Field;
  readonly row: number;
  readonly column: number;
  readonly isActive: boolean;
  readonly isEditing: boolean;
}

/** One cell. It listens only to its own value and error. */
export const ChildCell = memo(function ChildCell({ field, row, column, isActive, isEditing }: CellProps) {
  const { table, gridId } = useChildGrid();
  const path = cellPath(table, row, field.fieldname);
  tellRendered(path);
  const value = useValue(path);
  const error = useFieldError(path);
  const names = [
    'cell',
    isActive && 'active',
    error !== null && 'wrong',
    isNumber(field.fieldtype) && 'number',
  ];
  return (
    <GridCell
      id={cellId(gridId, row, column)}
      aria-colindex={column + 2}
      aria-invalid={error !== null || undefined}
      aria-selected={isActive}
      data-column={column}
      title={error ?? undefined}
      className={names
        .filter(Boolean)
        .map((name) => css[String(name)])
        .join(' ')}
    >
      {isEditing ? (
        <CellEditor field={field} row={row} column={column} value={value} error={error} />
      ) : (
        <Shown field={field} value={value} row={row} />
      )}
      {error !== null && <span className="visually-hidden">{error}</span>}
    </GridCell>
  );
});

/** The value of a cell as it is displayed, wherever the row is. */
export function CellValue({ field, row }: { readonly field: Field; readonly row: number }) {
  const { table } = useChildGrid();
  const value = useValue(cellPath(table, row, field.fieldname));
  return <Shown field={field} value={value} row={row} />;
}

function Shown({
  field,
  value,
  row,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly row: number;
}) {
  const ask = useAsk(field, row);
  if (field.fieldtype === 'Check')
    return Number(value) ? (
      <span className={css['check']}>
        <Icon name="check" />
        <span className="visually-hidden">{t('Yes')}</span>
      </span>
    ) : (
      <span className="visually-hidden">{t('No')}</span>
    );
  if (typeof value === 'string' && value !== '') {
    if (field.fieldtype === 'Link') return <LinkText doctype={field.options} name={value} />;
    if (field.fieldtype === 'Dynamic Link') {
      const doctype = ask(field.options);
      if (typeof doctype === 'string') return <LinkText doctype={doctype} name={value} />;
    }
  }
  const text = shownOf(field, value, ask);
  const isNewRow = ask('name') === undefined;
  if (text === '' && isNewRow && field.read_only && isNumber(field.fieldtype))
    return <Muted isSmall>{t('on save')}</Muted>;
  return <Text text={text} />;
}

// Reads the fields beside a cell, and renders it again when that of its currency changes.
function useAsk(field: Field, row: number) {
  const form = useForm();
  const { table, meta } = useChildGrid();
  const at = (name: string) => pathBeside(form, { meta, prefix: `${table}[${row}].` }, name);
  const isAmount = field.fieldtype === 'Currency' && field.options !== '';
  useValue(isAmount ? at(field.options) : cellPath(table, row, field.fieldname));
  return (name: string) => form.store.get(at(name));
}

function LinkText({ doctype, name }: { readonly doctype: string; readonly name: string }) {
  return <Text text={useLinkTitle(doctype, name) ?? name} />;
}

function Text({ text }: { readonly text: string }) {
  return (
    <span className={css['text']} dir="auto" title={text.length > 24 ? text : undefined}>
      {text}
    </span>
  );
}
