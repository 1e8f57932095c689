import { t } from '../../base/i18n.ts';
import { titleOf } from './canvas-card.tsx';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { differencesOf, type PropertyChange } from './differences.ts';
import { type DraftField, typeOf } from './draft.ts';
import { kindOf } from './field-kinds.ts';
import { propertyGroups } from './property-list.ts';

/** What is added, changed and removed, in words. */
export function PlanChanges() {
  const { base, draft } = useDesign();
  const found = differencesOf(base, draft);
  const { added, removed, changed, properties } = found;
  const others = [
    ...(found.isReordered ? [t('The order of the fields')] : []),
    ...(found.hasOtherPermissions ? [t('Permissions')] : []),
  ];
  return (
    <div className={css['changes']}>
      {added.length > 0 && <Fields label={t('Added')} fields={added} sign="+" />}
      {removed.length > 0 && <Fields label={t('Removed')} fields={removed} sign="−" />}
      {changed.length + properties.length + others.length > 0 && (
        <section>
          <h2>{t('Changed')}</h2>
          <ul>
            {changed.map(({ field, changes }) => (
              <li key={field.key}>
                <strong dir="auto">{titleOf(field)}</strong>
                {' · '}
                {changes.map(wordsOf).join(' · ')}
              </li>
            ))}
            {properties.map((change) => (
              <li key={change.property}>{wordsOf(change)}</li>
            ))}
            {others.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Fields({
  label,
  fields,
  sign,
}: {
  readonly label: string;
  readonly fields: readonly DraftField[];
  readonly sign: '+' | '−';
}) {
  return (
    <section data-sign={sign}>
      <h2>{label}</h2>
      <ul>
        {fields.map((field) => (
          <li key={field.key}>
            <strong dir="auto">{titleOf(field)}</strong> · {kindOf(typeOf(field)).label}
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf({ property, from, to }: PropertyChange): string {
  const known = propertyGroups()
    .flatMap(({ properties }) => properties)
    .find(({ name }) => name === property);
  const label = known?.label ?? labels()[property] ?? property;
  return `${label}: ${shown(from)} → ${shown(to)}`;
}

function labels(): Readonly<Record<string, string>> {
  return {
    label: t('Label'),
    fieldtype: t('Type'),
    options: t('Options'),
    title_field: t('Title'),
    search_fields: t('Search fields'),
    image_field: t('Image'),
    sort_field: t('Sorted by'),
    sort_order: t('Direction'),
    autoname: t('Naming'),
    icon: t('Icon'),
    module: t('Module'),
    description: t('Description'),
    is_submittable: t('Submittable'),
    track_changes: t('Keep versions'),
    max_attachments: t('Maximum attachments'),
  };
}

function shown(value: unknown): string {
  if (value === null || value === '') return '–';
  if (value === 1) return t('Yes');
  if (value === 0) return t('No');
  const text = typeof value === 'string' ? value.replaceAll('\n', ', ') : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
