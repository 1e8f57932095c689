import { t } from '../../../base/i18n.ts';
import { ListCell } from '../../../grid/list-cells.tsx';
import type { CellProps } from '../../../meta/field-registry.ts';
import { useLinkTitle } from '../../../meta/link-titles.ts';
import type { Field } from '../../../meta/meta.ts';
import { labelOf } from '../../../meta/standard-fields.ts';
import css from './cards.module.css';

/** Values of a card, each with its label for screen readers. */
export function CardValues({
  fields,
  row,
  titleOf,
}: {
  readonly fields: readonly Field[];
  readonly row: CellProps['row'];
  readonly titleOf: CellProps['titleOf'];
}) {
  return (
    <span className={css['values']}>
      {fields.map((field) => {
        const value = row[field.fieldname];
        if (value === null || value === undefined || value === '') return null;
        return (
          <span key={field.fieldname} className={css['value']} title={labelOf(field)}>
            <span className="visually-hidden">{labelOf(field)}: </span>
            <ListCell field={field} value={value} row={row} titleOf={titleOf} />
          </span>
        );
      })}
    </span>
  );
}

/** Whom a document is assigned to, by initials. */
export function Assignees({ users }: { readonly users: readonly string[] }) {
  if (users.length === 0) return null;
  return (
    <span className={css['people']}>
      {users.slice(0, 3).map((user) => (
        <Person key={user} user={user} />
      ))}
    </span>
  );
}

function Person({ user }: { readonly user: string }) {
  const name = useLinkTitle('User', user) ?? user;
  const initials = name
    .split(/[\s.@]+/)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toLocaleUpperCase())
    .join('');
  return (
    <span className={css['person']} role="img" aria-label={t('Assigned to {name}', { name })} title={name}>
      {initials}
    </span>
  );
}
