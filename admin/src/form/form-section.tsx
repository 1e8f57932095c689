import { useEffect, useState } from 'react';
import { t } from '../base/i18n.ts';
import { isCollapsed } from '../meta/depends-on.ts';
import { isTable } from '../meta/fieldtypes.ts';
import { holds, type LayoutSection } from '../meta/layout.ts';
import { Icon } from '../widgets/icon.tsx';
import { type Holder, scopeOf } from './field-state.ts';
import { FieldView } from './field-view.tsx';
import css from './form.module.css';
import { useForm } from './form-context.ts';
import { SectionTable } from './section-table.ts';

interface SectionProps {
  readonly section: LayoutSection;
  readonly holder: Holder;
  readonly wished: string | null;
}

/** A section with its title, which may fold it, and its columns. */
export function FormSection({ section, holder, wished }: SectionProps) {
  const form = useForm();
  const { field, label } = section;
  const [isFolded, fold] = useState(() => field !== null && isCollapsed(field, scopeOf(form, holder.prefix)));
  const isWished = wished !== null && holds(section, wished);
  useEffect(() => {
    if (isWished) fold(false);
  }, [isWished]);
  const id = `section-${holder.prefix}${section.id}`;
  const twin = section.columns.flat().find((one) => isTable(one.fieldtype) && one.label === label);
  const columns = isFolded ? null : (
    <SectionTable value={twin?.fieldname ?? null}>
      <Columns section={section} holder={holder} />
    </SectionTable>
  );
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
          {twin?.reqd && form.canWrite && form.docstatus === 0 && (
            <span aria-hidden="true" className={css['star']}>
              {' *'}
            </span>
          )}
        </h2>
      )}
      {section.description !== '' && !isFolded && (
        <p className={css['description']}>{t(section.description)}</p>
      )}
      {columns}
    </section>
  );
}

interface ColumnsProps {
  readonly section: LayoutSection;
  readonly holder: Holder;
}

// Without column breaks, short fields flow into two columns.
function Columns({ section, holder }: ColumnsProps) {
  const [only] = section.columns;
  const view = (field: (typeof section.columns)[0][0]) => (
    <FieldView key={field.fieldname} field={field} holder={holder} />
  );
  if (section.columns.length === 1) return <div className={css['flow']}>{only?.map(view)}</div>;
  return (
    <div className={css['columns']} data-count={Math.min(4, section.columns.length)}>
      {section.columns.map((fields) => (
        <div className={css['column']} key={fields[0]?.fieldname}>
          {fields.map(view)}
        </div>
      ))}
    </div>
  );
}
