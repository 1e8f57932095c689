import { useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { isCollapsed } from '../meta/depends-on.ts';
import { type LayoutSection, type LayoutTab, layout } from '../meta/layout.ts';
import type { Field } from '../meta/meta.ts';
import { Icon } from '../widgets/icon.tsx';
import { Tabs } from '../widgets/tabs.tsx';
import { type Holder, scopeOf, useShown } from './field-state.ts';
import { FieldView } from './field-view.tsx';
import { focusWhenThere } from './focus-field.ts';
import css from './form.module.css';
import { useForm } from './form-context.ts';

/** The fields of a document or row, in the layout of their doctype. Only the active tab is mounted. */
export function FormBody({ holder }: { readonly holder: Holder }) {
  const { fields } = holder.meta;
  const shown = useShown(fields, holder);
  const key = [...shown].join('\n');
  const tabs = useMemo(() => {
    const names = new Set(key.split('\n'));
    return visible(layout(fields), names);
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
        <Section key={section.id} section={section} holder={holder} wished={wished} />
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

/**
 * Handles requests to go to a field: `open` reveals it, then it gets the focus. Returns the last requested
 * field.
 */
function useWishes(holder: Holder, open: (fieldname: string) => void): string | null {
  const form = useForm();
  const wish = useStore(form.wish);
  const latest = useRef(open);
  latest.current = open;
  const rest = wish?.path.startsWith(holder.prefix) ? wish.path.slice(holder.prefix.length) : '';
  const fieldname = /^[^[.]+/.exec(rest)?.[0] ?? null;
  const at = wish?.at ?? 0;
  useEffect(() => {
    if (fieldname === null || at === 0) return;
    latest.current(fieldname);
    return focusWhenThere(`${holder.prefix}${fieldname}`);
  }, [fieldname, at, holder.prefix]);
  return fieldname;
}

interface SectionProps {
  readonly section: LayoutSection;
  readonly holder: Holder;
  readonly wished: string | null;
}

function Section({ section, holder, wished }: SectionProps) {
  const form = useForm();
  const { field, label } = section;
  const [isFolded, fold] = useState(() => field !== null && isCollapsed(field, scopeOf(form, holder.prefix)));
  const isWished = wished !== null && holds(section, wished);
  useEffect(() => {
    if (isWished) fold(false);
  }, [isWished]);
  const id = `section-${holder.prefix}${section.id}`;
  const columns = isFolded ? null : <Columns section={section} holder={holder} />;
  if (label === '') return <div className={css['section']}>{columns}</div>;
  return (
    <section className={css['section']} aria-labelledby={id}>
      {section.isCollapsible ? (
        <h2 className={css['title']}>
          <button
            type="button"
            id={id}
            className={css['fold']}
            aria-expanded={!isFolded}
            onClick={() => fold(!isFolded)}
          >
            <Icon name={isFolded ? 'end' : 'down'} size={14} />
            {t(label)}
          </button>
        </h2>
      ) : (
        <h2 className={css['title']} id={id}>
          {t(label)}
        </h2>
      )}
      {section.description !== '' && !isFolded && (
        <p className={css['description']}>{t(section.description)}</p>
      )}
      {columns}
    </section>
  );
}

function Columns({ section, holder }: { readonly section: LayoutSection; readonly holder: Holder }) {
  return (
    <div className={css['columns']} data-count={Math.min(4, section.columns.length)}>
      {section.columns.map((fields) => (
        <div className={css['column']} key={fields[0]?.fieldname}>
          {fields.map((field) => (
            <FieldView key={field.fieldname} field={field} holder={holder} />
          ))}
        </div>
      ))}
    </div>
  );
}

// Drops empty sections, and tabs without other sections.
function visible(tabs: readonly LayoutTab[], names: ReadonlySet<string>): readonly LayoutTab[] {
  const isThere = (field: Field | null) => field === null || names.has(field.fieldname);
  return tabs
    .filter((tab) => isThere(tab.field))
    .map((tab) => ({
      ...tab,
      sections: tab.sections
        .filter((section) => isThere(section.field))
        .map((section) => ({
          ...section,
          columns: section.columns
            .map((column) => column.filter(isThere))
            .filter((column) => column.length > 0),
        }))
        .filter((section) => section.columns.length > 0),
    }))
    .filter((tab) => tab.sections.length > 0);
}

function holds(section: LayoutSection, fieldname: string): boolean {
  return section.columns.some((column) => column.some((field) => field.fieldname === fieldname));
}
