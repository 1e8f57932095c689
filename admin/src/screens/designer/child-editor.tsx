import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Button } from '../../widgets/button.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { ChildColumns } from './child-columns.tsx';
import css from './designer.module.css';
import { fieldOf, useDesign, useDesigned, useFieldLock, useFieldText, useSet } from './designer-context.ts';
import { changed, type Draft, type DraftField, newField, textOf, typeOf } from './draft.ts';
import { useDoctypes } from './use-doctypes.ts';

/** The rows of a Table: an existing child doctype, or a new one that is made here and saved with the doctype. */
export function ChildEditor({ of }: { readonly of: string }) {
  const store = useDesign();
  const set = useSet(of, 'options');
  const lock = useFieldLock(of, 'options');
  const value = useFieldText(of, 'options');
  const made = useDesigned(({ draft }) => draft.children[value]);
  const names = useDoctypes()
    .filter(({ istable }) => istable)
    .map(({ name }) => name);
  const choices = [...new Set([...(value === '' ? [] : [value]), ...names])];
  const begin = () =>
    store.change((draft) => {
      const field = fieldOf(store, of);
      return field ? withChild(draft, field, names) : draft;
    });
  if (made) return <ChildColumns of={of} name={value} columns={made} />;
  return (
    <Stack gap={2}>
      <Select
        label={t('Child doctype of the rows')}
        isRequired
        isSearchable
        placeholder={t('Choose a child doctype')}
        description={lock}
        disabled={lock !== ''}
        value={value || null}
        onChange={set}
        choices={choices.map((name) => ({ value: name, label: t(name) }))}
      />
      {value === '' ? (
        lock === '' && (
          <Button icon="plus" onClick={begin}>
            {t('Make a new child table')}
          </Button>
        )
      ) : (
        <PathLink to={paths.designer(value)} className={css['childLink']}>
          {t('Edit {doctype}', { doctype: t(value) })}
        </PathLink>
      )}
    </Stack>
  );
}

/** The draft with a new child doctype for a table, named after both. */
function withChild(draft: Draft, field: DraftField, names: readonly string[]): Draft {
  const parent = textOf(draft.properties, 'name').trim() || 'New';
  const label =
    textOf(field.values, 'label')
      .replaceAll(/[^\w -]/g, '')
      .trim() || 'Row';
  const base = `${parent} ${label}`.slice(0, 55);
  let name = base;
  for (let at = 2; names.includes(name) || draft.children[name]; at += 1) name = `${base} ${at}`;
  const first = newField([], typeOf(field) === 'Table' ? 'Data' : 'Link', { in_list_view: 1 });
  return {
    ...draft,
    fields: changed(draft.fields, field.key, 'options', name),
    children: { ...draft.children, [name]: [first] },
  };
}
