import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { isLayout, isTable } from '../../meta/fieldtypes.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import { Row } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { useDesign, useDesigned } from './designer-context.ts';
import { type Draft, type DraftField, textOf, typeOf } from './draft.ts';

interface FetchInputProps {
  readonly label: ReactNode;
  readonly description: string | undefined;
  /** `customer.email`, or ''. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly disabled: boolean;
}

function linksOf({ fields }: Draft): readonly DraftField[] {
  return fields.filter((field) => typeOf(field) === 'Link' && textOf(field.values, 'options') !== '');
}

/** Chooses a Link field of the doctype and a field of the linked doctype. */
export function FetchInput({ label, description, value, onChange, disabled }: FetchInputProps) {
  const { draft } = useDesign();
  // Watches the names of the links only: other fields change with each key press.
  useDesigned((state) =>
    linksOf(state.draft)
      .map(({ values }) => textOf(values, 'fieldname'))
      .join(),
  );
  const links = linksOf(draft);
  const [link = '', source = ''] = value.split('.');
  const target = links.find(({ values }) => values['fieldname'] === link);
  const doctype = target ? textOf(target.values, 'options') : '';
  const { data } = useQuery({ ...metaQuery(doctype), enabled: doctype !== '' });
  const sources = (data?.meta.fields ?? []).filter(
    ({ fieldtype }) => !isLayout(fieldtype) && !isTable(fieldtype) && fieldtype !== 'Password',
  );
  if (links.length === 0 && value === '') return null;
  return (
    <Row gap={2}>
      <Select
        label={label}
        description={description}
        placeholder={t('Nothing')}
        isClearable
        disabled={disabled}
        value={link || null}
        onChange={(next) => onChange(next ? `${next}.${source}` : '')}
        choices={links.map(({ values }) => ({
          value: textOf(values, 'fieldname'),
          label: textOf(values, 'label') || textOf(values, 'fieldname'),
        }))}
      />
      {link !== '' && (
        <Select
          label={t('Field of {doctype}', { doctype: doctype || link })}
          disabled={disabled}
          value={source || null}
          onChange={(next) => onChange(`${link}.${next ?? ''}`)}
          choices={sources.map((one) => ({ value: one.fieldname, label: labelOf(one) }))}
        />
      )}
    </Row>
  );
}
