import { t } from '../../base/i18n.ts';
import { useBoot } from '../../data/boot.ts';
import { NumberInput } from '../../widgets/number-input.tsx';
import { Select } from '../../widgets/select.tsx';
import { useEdited } from './editor-context.ts';

/** The stored value for the setting of the site. */
const SITE = -1;
const FIRST_CUSTOM = 5;
const MOST = 50;

/** Retries after the first attempt: as the site sets them, none, or a number. */
export function Retries() {
  const { value, onChange, error } = useEdited('max_retries');
  const { webhookRetries } = useBoot().site;
  const choice = value === null || value === SITE ? 'site' : value === 0 ? 'none' : 'custom';
  const choose = (next: string | null) =>
    onChange(next === 'custom' ? FIRST_CUSTOM : next === 'none' ? 0 : SITE);
  return (
    <>
      <Select
        label={t('Retries')}
        description={t('After the first attempt')}
        value={choice}
        onChange={choose}
        error={choice === 'custom' ? undefined : error}
        choices={[
          { value: 'site', label: t('Site default ({count})', { count: webhookRetries }) },
          { value: 'none', label: t('None') },
          { value: 'custom', label: t('Custom') },
        ]}
      />
      {choice === 'custom' && (
        <NumberInput
          name="max_retries"
          label={t('Number of retries')}
          value={value}
          onChange={(next) => onChange(next ?? FIRST_CUSTOM)}
          error={error}
          places={0}
          min={1}
          max={MOST}
        />
      )}
    </>
  );
}
