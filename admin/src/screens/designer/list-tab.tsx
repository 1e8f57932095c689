import { t } from '../../base/i18n.ts';
import { ICON_NAMES } from '../../base/icons.ts';
import { isListable } from '../../meta/fieldtypes.ts';
import { iconOfDoctype } from '../../widgets/doctype-icon.ts';
import { Icon } from '../../widgets/icon.tsx';
import { Card, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { MultiSelect } from '../../widgets/token-inputs.tsx';
import css from './designer.module.css';
import { useDesign, useDesigned, useProperties } from './designer-context.ts';
import { DoctypeChoice, DoctypeFlag, useFieldChoices } from './doctype-inputs.tsx';
import { changed, type DraftField, isOn, textOf, typeOf } from './draft.ts';
import { useProperty } from './use-property.ts';

const isColumn = (field: DraftField) => isListable(typeOf(field));

/** How lists, searches and links show the documents. */
export function ListTab() {
  const columns = useFieldChoices(isColumn);
  const images = useFieldChoices((field) => typeOf(field) === 'Attach Image');
  const times = [
    { value: 'modified', label: t('Last changed') },
    { value: 'creation', label: t('Created') },
    { value: 'name', label: t('Name') },
  ];
  const nothing = { value: '', label: t('Nothing') };
  return (
    <div className={css['page']}>
      <Card label={t('Records in lists')}>
        <Stack>
          <DoctypeChoice
            name="title_field"
            label={t('Title')}
            hint={t('Shown in place of the name in lists, links and headings.')}
            choices={[{ value: '', label: t('The name') }, ...columns]}
          />
          <DoctypeFlag name="show_title_field_in_link" label={t('Links show the title')} />
          <Columns choices={columns} />
          <SearchFields choices={columns} />
          <DoctypeChoice
            name="image_field"
            label={t('Image')}
            hint={t('An Image field, for galleries and lists.')}
            choices={[nothing, ...images]}
          />
        </Stack>
      </Card>
      <Card label={t('Order and icon')}>
        <Stack>
          <div className={css['pair']}>
            <DoctypeChoice name="sort_field" label={t('Sorted by')} choices={[...times, ...columns]} />
            <DoctypeChoice
              name="sort_order"
              label={t('Direction')}
              choices={[
                { value: 'DESC', label: t('Newest or greatest first') },
                { value: 'ASC', label: t('Oldest or smallest first') },
              ]}
            />
          </div>
          <IconChoice />
        </Stack>
      </Card>
    </div>
  );
}

interface ChoicesProps {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

function Columns({ choices }: ChoicesProps) {
  const store = useDesign();
  const fields = useDesigned(({ draft }) => draft.fields);
  const value = fields
    .filter(({ values }) => isOn(values, 'in_list_view'))
    .map(({ values }) => textOf(values, 'fieldname'));
  const set = (next: readonly string[]) =>
    store.changeFields((all) =>
      all.reduce((done, field) => {
        const isIn = next.includes(textOf(field.values, 'fieldname'));
        if (isIn === isOn(field.values, 'in_list_view')) return done;
        return changed(done, field.key, 'in_list_view', isIn ? 1 : 0);
      }, all),
    );
  return <MultiSelect label={t('Columns')} value={value} onChange={set} choices={choices} />;
}

function SearchFields({ choices }: ChoicesProps) {
  const { text, lock, set } = useProperty('search_fields');
  const value = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  return (
    <MultiSelect
      label={t('Search fields')}
      description={lock || t('Searches and link pickers look here, besides the name and the title.')}
      disabled={lock !== ''}
      value={value}
      onChange={(next) => set(next.join(', '))}
      choices={choices}
    />
  );
}

function IconChoice() {
  const { text, lock, set } = useProperty('icon');
  const properties = useProperties();
  const drawn = iconOfDoctype({
    name: textOf(properties, 'name'),
    icon: text,
    issingle: isOn(properties, 'issingle'),
    is_tree: isOn(properties, 'is_tree'),
  });
  const known = ICON_NAMES.map((name) => ({ value: name as string, label: name }));
  return (
    <div className={css['iconChoice']}>
      <span className={css['iconShown']}>
        <Icon name={drawn} size={20} />
      </span>
      <Select
        label={t('Icon')}
        description={lock}
        disabled={lock !== ''}
        isClearable
        placeholder={t('By the name')}
        value={text || null}
        onChange={set}
        choices={
          text === '' || known.some(({ value }) => value === text)
            ? known
            : [{ value: text, label: text }, ...known]
        }
      />
    </div>
  );
}
