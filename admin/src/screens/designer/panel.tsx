import { memo, useId, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { byLanguage } from './by-language.ts';
import css from './designer.module.css';
import {
  fieldOf,
  useDesign,
  useDesigned,
  useFieldLock,
  useFieldText,
  useSelected,
} from './designer-context.ts';
import { isBreak } from './draft.ts';
import { kindGroups, kindOf } from './field-kinds.ts';
import { FieldOptions } from './field-options.tsx';
import { isShipped, shipperOf } from './locks.ts';
import { PropertyInput, PropertySelect } from './property-input.tsx';
import { type Property, type PropertyGroup, propertyGroups } from './property-list.ts';

/** The properties of the selected field. */
export function Panel() {
  const selected = useSelected();
  if (selected === null) {
    return (
      <EmptyState icon="settings" title={t('No field selected')}>
        {t('Select a field to see its properties.')}
      </EmptyState>
    );
  }
  return <FieldPanel key={selected} of={selected} />;
}

/** Renders again when the fieldtype changes; each input watches its own value. */
function FieldPanel({ of }: { readonly of: string }) {
  const type = useFieldText(of, 'fieldtype') || 'Data';
  const kind = kindOf(type);
  return (
    <div className={css['panel']}>
      <h2 className={css['panelTitle']}>
        <Icon name={kind.icon} />
        <span>{kind.label}</span>
      </h2>
      <Shipped of={of} />
      <Problems of={of} />
      <PropertyInput of={of} property={label()} isFirst />
      {!isBreak(type) && <PropertyInput of={of} property={fieldname()} />}
      {!isBreak(type) && <TypeSelect of={of} type={type} />}
      <FieldOptions of={of} type={type} />
      {propertyGroups().map((group) => (
        <Group key={group.id} group={group} of={of} type={type} />
      ))}
    </div>
  );
}

const label = byLanguage((): Property => {
  return { name: 'label', label: t('Label'), kind: 'text', fits: () => true };
});

const fieldname = byLanguage((): Property => {
  const hint = t('Follows the label until the field is stored.');
  return { name: 'fieldname', label: t('Name in the API'), kind: 'text', hint, fits: () => true };
});

interface OfField {
  /** The key of the field. */
  readonly of: string;
}

function Shipped({ of }: OfField) {
  const store = useDesign();
  const field = fieldOf(store, of);
  if (!store.design || !field || !isShipped(store.design, field)) return null;
  return (
    <p className={css['shipped']}>
      <Icon name="lock" size={14} />
      <span>
        {t('Part of {app}. You can change it, but not remove it.', {
          app: shipperOf(store.design),
        })}
      </span>
    </p>
  );
}

function Problems({ of }: OfField) {
  const name = useFieldText(of, 'fieldname');
  const problems = useDesigned((state) => state.problems.get(name));
  if (!problems) return null;
  return (
    <Alert tone="danger">
      {problems.map((problem) => (
        <div key={problem}>{problem}</div>
      ))}
    </Alert>
  );
}

const TypeSelect = memo(function TypeSelect({ of, type }: OfField & { readonly type: string }) {
  const lock = useFieldLock(of, 'fieldtype');
  const kinds = kindGroups().flatMap((group) => group.kinds.filter((kind) => !isBreak(kind.type)));
  const choices = kinds.map((kind) => ({ value: kind.type, label: kind.label }));
  const isKnown = kinds.some((kind) => kind.type === type);
  return (
    <PropertySelect
      of={of}
      name="fieldtype"
      label={t('Type')}
      choices={isKnown ? choices : [...choices, { value: type, label: type }]}
      lock={lock}
    />
  );
});

const Group = memo(function Group({
  group: { label: title, isOpen, properties },
  of,
  type,
}: OfField & {
  readonly group: PropertyGroup;
  readonly type: string;
}) {
  const store = useDesign();
  const id = useId();
  // Its question follows from another property.
  const isFetched = useFieldText(of, 'fetch_from') !== '';
  const shown = properties.filter(({ name, fits }) => fits(type) && (name !== 'fetch_if_empty' || isFetched));
  const [isSet] = useState(() => shown.some(({ name }) => fieldOf(store, of)?.values[name] !== undefined));
  if (shown.length === 0) return null;
  return (
    <details className={css['group']} open={isOpen || isSet}>
      <summary id={id}>{title}</summary>
      <div className={css['groupBody']}>
        {shown.map((property) => (
          <PropertyInput key={property.name} of={of} property={property} />
        ))}
      </div>
    </details>
  );
});
