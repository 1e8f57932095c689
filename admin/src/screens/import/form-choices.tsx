import { t } from '../../base/i18n.ts';
import { Alert } from '../../widgets/feedback.tsx';
import { NumberInput } from '../../widgets/number-input.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './import.module.css';
import type { FormChoices, Inspection } from './import-data.ts';

const ENCODINGS = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'windows-1252', label: 'Windows-1252' },
  { value: 'utf-16le', label: 'UTF-16 LE' },
  { value: 'utf-16be', label: 'UTF-16 BE' },
];

interface FormChoicesProps {
  readonly inspection: Pick<Inspection, 'form' | 'ambiguous'>;
  /** `isSame`: the columns stay the same. */
  readonly onChange: (choices: FormChoices, isSame: boolean) => void;
}

/** How the file is written: what the server has found, and the user's correction. */
export function FormChoicesPart({ inspection, onChange }: FormChoicesProps) {
  const { form, ambiguous } = inspection;
  const isRows = form.format === 'csv' || form.format === 'xlsx';
  return (
    <>
      {ambiguous.length > 0 && (
        <Alert tone="warning">
          {t('The values do not tell how dates or numbers are written. Check the choices below.')}
        </Alert>
      )}
      <div className={css['choices']}>
        {form.format !== 'xlsx' && (
          <Select
            label={t('Encoding')}
            value={form.encoding}
            onChange={(encoding) => encoding !== null && onChange({ encoding }, false)}
            choices={ENCODINGS}
          />
        )}
        {form.format === 'csv' && (
          <Select
            label={t('Delimiter')}
            value={form.delimiter}
            onChange={(delimiter) => delimiter !== null && onChange({ delimiter }, false)}
            choices={[
              { value: ',', label: t('Comma') },
              { value: ';', label: t('Semicolon') },
              { value: '\t', label: t('Tab character') },
              { value: '|', label: t('Vertical bar') },
            ]}
          />
        )}
        {isRows && (
          <NumberInput
            label={t('Row of the heads')}
            description={t('0 if the file has none')}
            value={form.header_row}
            places={0}
            min={0}
            max={999_999}
            onChange={(row) => row !== null && onChange({ header_row: row }, false)}
          />
        )}
        <LocaleChoices {...{ inspection, onChange }} />
      </div>
    </>
  );
}

function LocaleChoices({ inspection: { form, ambiguous }, onChange }: FormChoicesProps) {
  const told = (part: 'dates' | 'decimal') =>
    ambiguous.includes(part) ? t('The values fit several.') : undefined;
  return (
    <>
      <Select
        label={t('Date format')}
        description={told('dates')}
        value={form.dates}
        onChange={(dates) => dates !== null && onChange({ dates }, true)}
        choices={[
          { value: 'ymd', label: t('Year, month, day') },
          { value: 'dmy', label: t('Day, month, year') },
          { value: 'mdy', label: t('Month, day, year') },
        ]}
      />
      <Select
        label={t('Number format')}
        description={told('decimal')}
        value={form.decimal}
        onChange={(decimal) => decimal !== null && onChange({ decimal }, true)}
        choices={[
          { value: '.', label: '1,234.56' },
          { value: ',', label: '1.234,56' },
        ]}
      />
    </>
  );
}
