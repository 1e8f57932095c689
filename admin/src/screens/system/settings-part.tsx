import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { PathLink, useSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import type { Setting } from '../../data/system.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { SettingRow } from './setting-row.tsx';
import { sectionWords } from './setting-words.ts';
import css from './system.module.css';
import { useSettings } from './use-settings.ts';

/** All settings by section, with the value in force and its source. */
export function SettingsPart() {
  const form = useSettings();
  const stated = useSearch((search) => search['section']);
  const sections = sectionWords();
  const section = sections.find(({ id }) => id === stated) ?? sections[0];
  useShortcut('form', 'mod+s', t('Save'), () => void form.save(), { isOn: form.changed.size > 0 });
  if (form.error) return <ErrorPanel error={form.error} onRetry={form.retry} />;
  if (form.isLoading || !form.settings || !section) return <Skeleton height={480} />;
  const shown = form.settings.filter((setting) => setting.section === section.id);
  // Settings that can be changed here come first.
  const ordered = [...shown.filter(({ field }) => field), ...shown.filter(({ field }) => !field)];
  return (
    <div className={css['settings']}>
      <SectionLinks sections={sections} current={section.id} form={form} />
      <Stack gap={3}>
        <h2>{section.label}</h2>
        <ul className={css['list']}>
          {ordered.map((setting) => (
            <SettingRow key={setting.name} setting={setting} form={form} />
          ))}
        </ul>
        {form.task.error !== null && <ErrorPanel error={form.task.error} refused={t('Couldn’t save')} />}
        {form.changed.size > 0 && <SaveBar form={form} />}
      </Stack>
      {form.held && <LeaveDialog held={form.held} />}
    </div>
  );
}

type Form = ReturnType<typeof useSettings>;

function SectionLinks({
  sections,
  current,
  form,
}: {
  readonly sections: ReturnType<typeof sectionWords>;
  readonly current: string;
  readonly form: Form;
}) {
  const changedIn = (id: string) =>
    (form.settings ?? []).filter(
      ({ section, field }: Setting) => section === id && field && form.changed.has(field.fieldname),
    ).length;
  return (
    <nav className={css['sections']} aria-label={t('Sections of the settings')}>
      {sections.map(({ id, label }) => (
        <PathLink
          key={id}
          to={paths.system('settings', { section: id })}
          aria-current={id === current ? 'true' : undefined}
        >
          {changedIn(id) > 0 ? `${label} (${formatNumber(changedIn(id))})` : label}
        </PathLink>
      ))}
    </nav>
  );
}

function SaveBar({ form }: { readonly form: Form }) {
  const count = form.changed.size;
  return (
    <div className={css['saveBar']} data-stays>
      <span role="status">{tn(count, '{count} unsaved change', '{count} unsaved changes')}</span>
      <Row>
        <Button onClick={form.discard}>{t('Discard')}</Button>
        <Button kind="primary" isBusy={form.task.isBusy} onClick={() => void form.save()}>
          {t('Save')}
        </Button>
      </Row>
    </div>
  );
}

function LeaveDialog({ held }: { readonly held: NonNullable<Form['held']> }) {
  return (
    <Modal isOpen onClose={held.stay} title={t('Leave without saving?')}>
      <Stack gap={4}>
        <span>{t('Your changes of the settings will be lost.')}</span>
        <Row isApart>
          <Button onClick={held.stay}>{t('Stay')}</Button>
          <Button kind="danger" onClick={held.leave}>
            {t('Discard changes')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
