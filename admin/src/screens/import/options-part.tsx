import type { LoadMode } from '../../../../src/load/data-load.ts';
import { t } from '../../base/i18n.ts';
import { useUser } from '../../data/boot.ts';
import { Checkbox } from '../../widgets/checks.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { keyFieldOf, keyTargets, missingTargets } from './columns.ts';
import css from './import.module.css';
import { allowedModes, type Inspection, type Setup } from './import-data.ts';
import { modeWord } from './import-words.ts';

interface OptionsProps {
  readonly doctype: string;
  readonly setup: Setup;
  readonly inspection: Inspection;
  readonly onChange: (some: Partial<Setup>) => void;
}

/** How the records are stored. */
export function OptionsPart({ doctype, setup, inspection, onChange }: OptionsProps) {
  const { isSystemManager } = useUser();
  const { columns, targets } = inspection;
  const possible = keyTargets(columns, targets);
  const missing = setup.mode === 'Update' ? [] : missingTargets(columns, targets);
  return (
    <Stack gap={3}>
      {missing.length > 0 && (
        <Alert tone="warning">
          {t('No column fills these mandatory fields: {fields}. They need a default.', {
            fields: missing.map(({ label }) => label).join(', '),
          })}
        </Alert>
      )}
      <div className={css['choices']}>
        <Select
          label={t('What to do')}
          value={setup.mode}
          onChange={(mode) => mode !== null && onChange({ mode: mode as LoadMode })}
          choices={allowedModes(doctype).map((mode) => ({ value: mode, label: modeWord(mode) }))}
        />
        {setup.mode !== 'Insert' && possible.length > 0 && (
          <Select
            label={t('Find records by')}
            value={keyFieldOf(setup, possible)}
            onChange={(keyField) => onChange({ keyField })}
            choices={possible.map(({ key, label }) => ({ value: key, label }))}
          />
        )}
        <Select
          label={t('If rows have errors')}
          value={setup.onError}
          onChange={(onError) => onChange({ onError: onError === 'none' ? 'none' : 'good' })}
          choices={[
            { value: 'good', label: t('Import the good rows') },
            { value: 'none', label: t('Import nothing') },
          ]}
        />
      </div>
      {isSystemManager && (
        <>
          <Checkbox
            label={t('Run no hooks of apps')}
            isOn={setup.skipHooks}
            onChange={(skipHooks) => onChange({ skipHooks })}
          />
          <Checkbox
            label={t('Send no webhooks and notifications')}
            isOn={setup.skipWebhooks}
            onChange={(skipWebhooks) => onChange({ skipWebhooks })}
          />
        </>
      )}
    </Stack>
  );
}
