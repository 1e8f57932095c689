import { useMemo } from 'react';
import { closestLanguage, LANGUAGES, type Language, t, useLanguage } from '../../base/i18n.ts';
import { allowCharacterKeys, characterKeys } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { useBoot, useUser } from '../../data/boot.ts';
import { updateDocument } from '../../data/documents.ts';
import { enter } from '../../data/person.ts';
import { Switch } from '../../widgets/checks.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Card, Stack } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { Select } from '../../widgets/select.tsx';
import { type Theme, useTheme } from '../../widgets/use-theme.ts';
import css from './profile.module.css';
import { storedTheme } from './theme-of.ts';

/** Appearance and language. Each choice is saved immediately with the user, for all devices. */
export function Look() {
  const user = useUser();
  const { site } = useBoot();
  const { theme, setTheme } = useTheme();
  const language = useLanguage();
  const isOn = useStore(characterKeys);
  const { isBusy, run } = useTask();
  const zones = useMemo(() => ['', ...Intl.supportedValuesOf('timeZone')], []);
  const keep = async (fields: Readonly<Record<string, string>>) => {
    await updateDocument('User', user.name, fields);
    await enter();
    toast('success', t('Saved'));
  };
  const chooseTheme = (next: Theme) => {
    setTheme(next);
    // Requests may overlap: of two quick choices, the later one must be saved.
    void keep({ desk_theme: storedTheme(next) }).catch(tellFailure);
  };
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Card label={t('Appearance and language')}>
      <Stack>
        <h2>{t('Appearance and language')}</h2>
        <div className={css['choice']}>
          <span>{t('Theme')}</span>
          <SegmentedControl<Theme>
            label={t('Theme')}
            value={theme}
            onChange={chooseTheme}
            choices={[
              { value: 'light', label: t('Light') },
              { value: 'dark', label: t('Dark') },
              { value: 'auto', label: t('System') },
            ]}
          />
        </div>
        <div className={css['languages']}>
          <Select
            label={t('Language')}
            value={user.language === '' ? language : closestLanguage([user.language])}
            onChange={(next) => next && void run(() => keep({ language: next }), tellFailure)}
            choices={(Object.keys(LANGUAGES) as Language[]).map((one) => ({
              value: one,
              label: LANGUAGES[one],
            }))}
            disabled={isBusy}
          />
          <Select
            label={t('Time zone')}
            description={t('Records are stored in the site time zone, {zone}.', { zone: site.timeZone })}
            value={user.timeZone}
            onChange={(next) => void run(() => keep({ time_zone: next ?? '' }), tellFailure)}
            choices={zones.map((zone) => ({
              value: zone,
              label: zone === '' ? t('Browser time zone ({zone})', { zone: own }) : zone.replaceAll('_', ' '),
            }))}
            isSearchable
            disabled={isBusy}
          />
        </div>
        <Switch
          label={t('Single-letter shortcuts')}
          description={t('Applies to this device. Turn off if you trigger shortcuts by mistake.')}
          isOn={isOn}
          onChange={allowCharacterKeys}
        />
      </Stack>
    </Card>
  );
}
