import { Checkbox } from '../../widgets/checks.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { type Choice, Select } from '../../widgets/select.tsx';
import { useDesigned } from './designer-context.ts';
import { type DraftField, textOf } from './draft.ts';
import { useProperty } from './use-property.ts';

interface Of {
  /** The property of the doctype. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** A reason beside that of the server. */
  readonly locked?: string;
}

/** A text of the doctype. */
export function DoctypeText({ name, label, hint, locked = '' }: Of) {
  const { text, lock, set } = useProperty(name);
  const reason = locked || lock;
  return (
    <TextInput
      label={label}
      description={reason || hint}
      disabled={reason !== ''}
      value={text}
      onChange={set}
      dir="auto"
      autoComplete="off"
    />
  );
}

/** A yes or no of the doctype. */
export function DoctypeFlag({ name, label, hint, locked = '' }: Of) {
  const { isOn, lock, set } = useProperty(name);
  const reason = locked || lock;
  return (
    <Checkbox
      label={label}
      description={reason || hint}
      disabled={reason !== ''}
      isOn={isOn}
      onChange={(on) => set(on ? 1 : 0)}
    />
  );
}

/** A number of the doctype. */
export function DoctypeCount({ name, label, hint }: Of) {
  const { text, lock, set } = useProperty(name);
  return (
    <TextInput
      label={label}
      description={lock || hint}
      disabled={lock !== ''}
      inputMode="numeric"
      value={text}
      onChange={(next) => /^\d{0,6}$/.test(next) && set(Number(next))}
    />
  );
}

/** A choice of the doctype; '' is offered as nothing. */
export function DoctypeChoice({ name, label, hint, choices }: Of & { readonly choices: readonly Choice[] }) {
  const { text, lock, set } = useProperty(name);
  const isKnown = choices.some(({ value }) => value === text);
  return (
    <Select
      label={label}
      description={lock || hint}
      disabled={lock !== ''}
      value={text}
      onChange={set}
      choices={isKnown ? choices : [{ value: text, label: text }, ...choices]}
    />
  );
}

/** The fields of the draft as choices. */
export function useFieldChoices(isFitting: (field: DraftField) => boolean): readonly Choice[] {
  const fields = useDesigned(({ draft }) => draft.fields);
  return fields
    .filter((field) => isFitting(field))
    .map(({ values }) => ({
      value: textOf(values, 'fieldname'),
      label: textOf(values, 'label') || textOf(values, 'fieldname'),
    }));
}
