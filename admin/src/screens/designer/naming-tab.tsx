import { t } from '../../base/i18n.ts';
import { Alert } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { DoctypeFlag, useFieldChoices } from './doctype-inputs.tsx';
import { changed, type DraftField, newField, textOf, typeOf, withValue } from './draft.ts';
import { autonameOf, exampleOf, type NamingWay, namingWords, wayOf } from './naming.ts';
import { useProperty } from './use-property.ts';

/** How documents get their names. */
export function NamingTab() {
  const store = useDesign();
  const { text, lock } = useProperty('autoname');
  const way = wayOf(text);
  const words = namingWords();
  const choices = words.map(({ value, label }) => ({ value, label }));
  const known = way === 'other' ? [...choices, { value: 'other', label: t('An older pattern') }] : choices;
  const choose = (next: string | null) =>
    store.change((draft) => {
      const name = textOf(draft.properties, 'name');
      const first = textOf(draft.fields.find((field) => isTextual(field))?.values ?? {}, 'fieldname');
      const autoname = autonameOf(next as NamingWay, name, first);
      const properties = withValue(draft.properties, 'autoname', autoname);
      return {
        ...draft,
        properties,
        fields: next === 'series' ? withSeries(draft.fields, name) : draft.fields,
      };
    });
  return (
    <div className={css['page']}>
      <Card label={t('Naming')}>
        <Stack>
          <Select
            label={t('Each record is named by')}
            description={lock || words.find(({ value }) => value === way)?.hint}
            disabled={lock !== ''}
            value={way}
            onChange={choose}
            choices={known}
            isSearchable={false}
          />
          <WayDetails way={way} />
          <DoctypeFlag
            name="allow_rename"
            label={t('Records can be renamed')}
            hint={t('Links to them follow.')}
          />
          {store.design !== null && (
            <Muted isSmall>{t('Existing records keep their names. A change applies to new ones.')}</Muted>
          )}
        </Stack>
      </Card>
    </div>
  );
}

const isTextual = (field: DraftField) => ['Data', 'Link', 'Select'].includes(typeOf(field));

// The series is a Select of this name.
function withSeries(fields: readonly DraftField[], doctype: string): readonly DraftField[] {
  if (fields.some(({ values }) => values['fieldname'] === 'naming_series')) return fields;
  const options = `${autonameOf('other', doctype, '').replace('.#####', '')}.YYYY.-.#####`;
  const made = newField(fields, 'Select', { label: 'Series', options, set_only_once: 1, reqd: 1 });
  return changed([made, ...fields], made.key, 'fieldname', 'naming_series');
}

function WayDetails({ way }: { readonly way: NamingWay }) {
  const { text, lock, set } = useProperty('autoname');
  const fields = useFieldChoices(isTextual);
  if (way === 'field') {
    return (
      <Select
        label={t('Field')}
        disabled={lock !== ''}
        value={text.slice('field:'.length).trim() || null}
        onChange={(next) => set(`field:${next}`)}
        choices={fields}
      />
    );
  }
  if (way === 'series') return <SeriesDetails />;
  if (way !== 'pattern' && way !== 'other') return null;
  const prefix = way === 'pattern' ? 'format:' : '';
  return (
    <>
      <TextInput
        label={t('Pattern')}
        dir="ltr"
        disabled={lock !== ''}
        value={text.slice(prefix.length)}
        onChange={(next) => set(`${prefix}${next}`)}
      />
      <Example text={exampleOf(text, new Date())} />
    </>
  );
}

function SeriesDetails() {
  const { draft } = useDesign();
  const series = draft.fields.find(({ values }) => values['fieldname'] === 'naming_series');
  if (!series) {
    return <Alert tone="warning">{t('The doctype needs a Select field with the name naming_series.')}</Alert>;
  }
  const [first = ''] = textOf(series.values, 'options').split('\n').filter(Boolean);
  return (
    <Stack gap={2}>
      <Example text={exampleOf(first, new Date())} />
      <Muted isSmall>{t('Change the prefixes in the options of the field Series.')}</Muted>
    </Stack>
  );
}

function Example({ text }: { readonly text: string }) {
  return (
    <p className={css['example']}>
      {t('The first name')} <bdi className={css['code']}>{text}</bdi>
    </p>
  );
}
