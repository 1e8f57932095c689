import { memo, type ReactNode, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { problemOf } from '../../meta/depends-on.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { type Choice, Select } from '../../widgets/select.tsx';
import { Textarea } from '../../widgets/textarea.tsx';
import css from './designer.module.css';
import { fieldOf, useDesign, useFieldFlag, useFieldLock, useFieldText, useSet } from './designer-context.ts';
import { FetchInput } from './fetch-input.tsx';
import type { Property } from './property-list.ts';

interface PropertyInputProps {
  /** The key of the field. */
  readonly of: string;
  readonly property: Property;
  /** Gets the focus when a field is added or edited. */
  readonly isFirst?: boolean;
}

/** The input of one property of a field. It renders again only when this property changes. */
export const PropertyInput = memo(function PropertyInput({ of, property, isFirst }: PropertyInputProps) {
  const { name, label, hint, kind } = property;
  const value = useFieldText(of, name);
  const isSet = useFieldFlag(of, name);
  const lock = useFieldLock(of, name);
  const set = useSet(of, name);
  const described = { label: <Marked of={of} name={name} label={label} />, description: lock || hint };
  if (kind === 'flag') {
    return <Checkbox {...described} isOn={isSet} onChange={(on) => set(on ? 1 : 0)} disabled={lock !== ''} />;
  }
  const common = { ...described, value, onChange: set, disabled: lock !== '' };
  if (kind === 'area') return <Textarea {...common} rows={2} />;
  if (kind === 'choice') return <Select {...common} choices={property.choices ?? []} />;
  if (kind === 'fetch') return <FetchInput {...common} />;
  if (kind === 'condition') return <ConditionInput {...common} />;
  if (kind === 'count') return <CountInput {...common} onChange={set} />;
  return <TextInput {...common} dir="auto" data-first={isFirst ? '' : undefined} autoComplete="off" />;
});

/** A choice for a property of a field. */
export function PropertySelect({
  of,
  name,
  label,
  choices,
  lock,
}: {
  readonly of: string;
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly lock: string;
}) {
  const value = useFieldText(of, name);
  const set = useSet(of, name);
  return (
    <Select
      label={<Marked of={of} name={name} label={label} />}
      description={lock}
      disabled={lock !== ''}
      value={value}
      onChange={set}
      choices={choices}
    />
  );
}

// A property that differs from the app's file can be put back.
function Marked({
  of,
  name,
  label,
}: {
  readonly of: string;
  readonly name: string;
  readonly label: string;
}): ReactNode {
  const store = useDesign();
  const set = useSet(of, name);
  const known = fieldOf(store, of)?.values['fieldname'];
  const setter = store.design?.customized.find((one) => one.fieldname === known && one.property === name);
  if (!setter) return label;
  return (
    <span className={css['marked']}>
      {label}
      <span className={css['mark']}>{t('Customized')}</span>
      <IconButton
        isSmall
        icon="undo"
        label={t('Back to what the app says')}
        onClick={(event) => {
          event.preventDefault();
          set(setter.original);
        }}
      />
    </span>
  );
}

interface ConditionProps {
  readonly label: ReactNode;
  readonly description: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly disabled: boolean;
}

function ConditionInput(props: ConditionProps) {
  const problem = problemOf(props.value);
  return <TextInput {...props} error={problem} spellCheck={false} dir="ltr" autoComplete="off" />;
}

// Keeps what is typed until it is a number.
function CountInput({
  onChange,
  value,
  ...rest
}: ConditionProps & { readonly onChange: (value: unknown) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const isNumber = typed === null || /^\d{0,4}$/.test(typed);
  return (
    <TextInput
      {...rest}
      inputMode="numeric"
      value={typed ?? value}
      error={isNumber ? undefined : t('A whole number')}
      onChange={(next) => {
        setTyped(next);
        if (/^\d{0,4}$/.test(next)) onChange(Number(next));
      }}
      onBlur={() => isNumber && setTyped(null)}
    />
  );
}
