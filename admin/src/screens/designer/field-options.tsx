import { memo } from 'react';
import { t } from '../../base/i18n.ts';
import { Select } from '../../widgets/select.tsx';
import { ChildEditor } from './child-editor.tsx';
import { useDesigned, useFieldLock, useFieldText, useSet } from './designer-context.ts';
import { type DraftField, textOf, typeOf } from './draft.ts';
import { OptionsEditor } from './options-editor.tsx';
import { useDoctypes } from './use-doctypes.ts';

/** The input of `options`, which means something else for each fieldtype. */
export const FieldOptions = memo(function FieldOptions({
  of,
  type,
}: OptionsProps & { readonly type: string }) {
  if (type === 'Select' || type === 'Autocomplete') return <OptionsEditor of={of} />;
  if (type === 'Link') return <LinkTarget of={of} />;
  if (type === 'Table' || type === 'Table MultiSelect') return <ChildEditor of={of} />;
  if (type === 'Dynamic Link') {
    return <FieldChoice of={of} label={t('Field with the doctype')} isFitting={isDoctypeLink} />;
  }
  if (type === 'Image') return <FieldChoice of={of} label={t('Image field')} isFitting={isImage} />;
  return type === 'Data' ? <DataFormat of={of} /> : null;
});

interface OptionsProps {
  /** The key of the field. */
  readonly of: string;
}

function LinkTarget({ of }: OptionsProps) {
  const own = useDesigned(({ draft }) => textOf(draft.properties, 'name'));
  const set = useSet(of, 'options');
  const lock = useFieldLock(of, 'options');
  const names = useDoctypes()
    .filter(({ istable }) => !istable)
    .map(({ name }) => name);
  const value = useFieldText(of, 'options');
  const choices = [...new Set([...(own === '' ? [] : [own]), ...(value === '' ? [] : [value]), ...names])];
  return (
    <Select
      label={t('Linked doctype')}
      isRequired
      isSearchable
      placeholder={t('Choose a doctype')}
      description={lock}
      disabled={lock !== ''}
      value={value || null}
      onChange={set}
      choices={choices.map((name) => ({ value: name, label: t(name) }))}
    />
  );
}

const isDoctypeLink = (field: DraftField) =>
  typeOf(field) === 'Link' && textOf(field.values, 'options') === 'DocType';
const isImage = (field: DraftField) => typeOf(field) === 'Attach Image';

function FieldChoice({
  of,
  label,
  isFitting,
}: OptionsProps & { readonly label: string; readonly isFitting: (field: DraftField) => boolean }) {
  const set = useSet(of, 'options');
  const value = useFieldText(of, 'options');
  const fields = useDesigned(({ draft }) => draft.fields);
  const lock = useFieldLock(of, 'options');
  const choices = fields.filter((one) => isFitting(one)).map(({ values }) => values);
  return (
    <Select
      label={label}
      isRequired
      description={lock}
      disabled={lock !== ''}
      value={value || null}
      onChange={set}
      choices={choices.map((values) => ({
        value: textOf(values, 'fieldname'),
        label: textOf(values, 'label') || textOf(values, 'fieldname'),
      }))}
    />
  );
}

function DataFormat({ of }: OptionsProps) {
  const value = useFieldText(of, 'options');
  const set = useSet(of, 'options');
  const lock = useFieldLock(of, 'options');
  return (
    <Select
      label={t('Format')}
      description={lock}
      disabled={lock !== ''}
      value={value}
      onChange={set}
      choices={[
        { value: '', label: t('Any text') },
        { value: 'Email', label: t('Email address') },
        { value: 'URL', label: t('Web address') },
        { value: 'Phone', label: t('Phone number') },
        { value: 'Name', label: t('Name of a person') },
      ]}
    />
  );
}
