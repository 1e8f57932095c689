import { useMemo, useState } from 'react';
import { t } from '../base/i18n.ts';
import { holds, type LayoutTab, layout, visibleTabs } from '../meta/layout.ts';
import { Tabs } from '../widgets/tabs.tsx';
import { type Holder, useShown } from './field-state.ts';
import css from './form.module.css';
import { FormSection } from './form-section.tsx';
import { useWishes } from './use-wishes.ts';

/** The fields of a document or row, in the layout of their doctype. Only the active tab is mounted. */
export function FormBody({ holder }: { readonly holder: Holder }) {
  const { fields } = holder.meta;
  const shown = useShown(fields, holder);
  const key = [...shown].join('\n');
  const tabs = useMemo(() => {
    const names = new Set(key.split('\n'));
    return visibleTabs(layout(fields), names);
  }, [fields, key]);
  const [chosen, choose] = useState('');
  const current = tabs.find((one) => one.id === chosen) ?? tabs[0];
  const wished = useWishes(holder, (fieldname) => {
    const home = tabs.find((tab) => tab.sections.some((section) => holds(section, fieldname)));
    if (home) choose(home.id);
  });
  if (!current) return null;
  const sections = (tab: LayoutTab) => (
    <div className={css['sections']}>
      {tab.sections.map((section) => (
        <FormSection key={section.id} section={section} holder={holder} wished={wished} />
      ))}
    </div>
  );
  if (tabs.length === 1) return sections(current);
  return (
    <Tabs
      label={t('Parts of the form')}
      value={current.id}
      onChange={choose}
      tabs={tabs.map((tab) => ({
        id: tab.id,
        label: tab.label === '' ? t('Details') : t(tab.label),
        content: tab.id === current.id ? sections(tab) : null,
      }))}
    />
  );
}
