import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { useDesign, useDesigned, useSet } from './designer-context.ts';
import { type DraftField, textOf, typeOf } from './draft.ts';
import { lockOf } from './locks.ts';

/** The doctypes that this one links to, and those that link to it. */
export function LinksTab() {
  const fields = useDesigned(({ draft }) => draft.fields);
  const links = fields.filter((field) => REFERRING.includes(typeOf(field)));
  return (
    <div className={css['page']}>
      <Card label={t('Links of this doctype')}>
        <Stack gap={3}>
          <h2>{t('Links of this doctype')}</h2>
          {links.length > 0 && (
            <Muted isSmall>{t('Each Link says what happens when the linked record is deleted.')}</Muted>
          )}
          {links.length === 0 && <Muted>{t('It has no Link and no Table field yet.')}</Muted>}
          {links.map((field) => (
            <Outgoing key={field.key} field={field} />
          ))}
        </Stack>
      </Card>
      <Incoming />
    </div>
  );
}

const REFERRING = ['Link', 'Dynamic Link', 'Table', 'Table MultiSelect'];

function Outgoing({ field }: { readonly field: DraftField }) {
  const { design } = useDesign();
  const set = useSet(field.key, 'on_delete');
  const type = typeOf(field);
  const target = textOf(field.values, 'options');
  const label = textOf(field.values, 'label') || textOf(field.values, 'fieldname');
  const lock = lockOf(design, field, 'on_delete');
  return (
    <div className={css['linkRow']}>
      <span>
        <strong dir="auto">{label}</strong>
        {' → '}
        {type === 'Dynamic Link' ? (
          <span>{target}</span>
        ) : (
          <PathLink to={paths.designer(target)}>{t(target)}</PathLink>
        )}
      </span>
      {(type === 'Link' || type === 'Dynamic Link') && (
        <Select
          aria-label={t('When the linked record is deleted: {field}', { field: label })}
          disabled={lock !== ''}
          value={textOf(field.values, 'on_delete') === 'block' ? '' : textOf(field.values, 'on_delete')}
          onChange={set}
          choices={[
            { value: '', label: t('Its deletion is refused') },
            { value: 'empty', label: t('Its deletion empties this field') },
            { value: 'cascade', label: t('Its deletion deletes this record') },
          ]}
        />
      )}
    </div>
  );
}

function Incoming() {
  const { design } = useDesign();
  const name = design?.name ?? '';
  const filters = [['DocField', 'options', '=', name]] as const;
  const query = { fields: ['name'], filters, limit_page_length: 200 };
  const { data } = useQuery({
    queryKey: keys.list('DocType', query),
    queryFn: ({ signal }) => listRows<{ readonly name: string }>('DocType', query, { signal }),
    enabled: name !== '',
  });
  const names = [...new Set((data ?? []).map((row) => row.name))].filter((one) => one !== name);
  return (
    <Card label={t('Links to this doctype')}>
      <Stack gap={3}>
        <h2>{t('Links to this doctype')}</h2>
        {names.length === 0 ? (
          <Muted>{t('No other doctype links here.')}</Muted>
        ) : (
          <ul className={css['names']}>
            {names.map((one) => (
              <li key={one}>
                <PathLink to={paths.designer(one)}>{t(one)}</PathLink>
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Card>
  );
}
