import { t } from '../../base/i18n.ts';
import { isTable } from '../../meta/fieldtypes.ts';
import { Icon } from '../../widgets/icon.tsx';
import css from './designer.module.css';
import { useDesigned } from './designer-context.ts';
import { type DraftField, textOf, typeOf } from './draft.ts';
import { kindOf } from './field-kinds.ts';

const TALL: ReadonlySet<string> = new Set([
  ...['Small Text', 'Text', 'Long Text', 'Text Editor', 'HTML Editor', 'Markdown Editor', 'Code', 'JSON'],
  ...['Geolocation', 'Signature'],
]);

/** The outline of a field's control, which cannot be used. */
export function FauxControl({ field }: { readonly field: DraftField }) {
  const type = typeOf(field);
  const { values } = field;
  if (type === 'Heading' || type === 'HTML' || type === 'Fold') return null;
  if (type === 'Table') return <FauxTable field={field} />;
  const shown = textOf(values, 'default') || textOf(values, 'placeholder') || hintOf(field, type);
  if (type === 'Check') return null;
  return (
    <span className={css['faux']} data-tall={TALL.has(type) || undefined}>
      <Icon name={kindOf(type).icon} size={14} />
      <span dir="auto">{shown}</span>
      {['Select', 'Link', 'Dynamic Link'].includes(type) && (
        <span className={css['fauxEnd']}>
          <Icon name="down" size={14} />
        </span>
      )}
    </span>
  );
}

function hintOf({ values }: DraftField, type: string): string {
  const options = textOf(values, 'options');
  if (type === 'Select') return options.split('\n').filter(Boolean).slice(0, 4).join(' · ');
  return isTable(type) || type === 'Link' || type === 'Dynamic Link' ? options : '';
}

function FauxTable({ field }: { readonly field: DraftField }) {
  const child = textOf(field.values, 'options');
  const made = useDesigned(({ draft }) => draft.children[child]);
  const columns = made?.map(({ values }) => textOf(values, 'label')).filter(Boolean) ?? [];
  return (
    <span className={css['fauxTable']}>
      <Icon name="table" size={14} />
      <span dir="auto">
        {columns.length > 0 ? columns.slice(0, 5).join('  |  ') : child || t('Choose the child doctype')}
      </span>
    </span>
  );
}
