import type { ReactNode } from 'react';
import { Checkbox } from '../../widgets/checks.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { NumberInput } from '../../widgets/number-input.tsx';
import { Textarea } from '../../widgets/textarea.tsx';
import { useEdited } from './editor-context.ts';
import type { Draft } from './webhook-draft.ts';
import css from './webhooks.module.css';

type NamesOf<T> = { [K in keyof Draft]: Draft[K] extends T ? K : never }[keyof Draft];

interface PartProps<T> {
  readonly name: NamesOf<T>;
  readonly label: string;
  readonly description?: ReactNode;
}

/** A section of the editor with a heading. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={css['part']} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A one-line text of the draft. */
export function TextPart({
  name,
  isRequired,
  isCode,
  placeholder,
  ...rest
}: PartProps<string> & {
  readonly isRequired?: boolean;
  readonly isCode?: boolean;
  readonly placeholder?: string;
}) {
  const { value, onChange, error } = useEdited(name);
  return (
    <TextInput
      {...rest}
      name={name}
      value={value}
      onChange={onChange}
      error={error}
      isRequired={isRequired}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={isCode ? false : undefined}
      dir={isCode ? 'ltr' : undefined}
    />
  );
}

/** Multi-line code of the draft. */
export function CodePart({
  name,
  rows = 3,
  placeholder,
  ...rest
}: PartProps<string> & { readonly rows?: number; readonly placeholder?: string }) {
  const { value, onChange, error } = useEdited(name);
  return (
    <Textarea
      {...rest}
      name={name}
      value={value}
      onChange={onChange}
      error={error}
      rows={rows}
      placeholder={placeholder}
      isCode
      dir="ltr"
    />
  );
}

/** A number of the draft. */
export function NumberPart({
  name,
  min,
  max,
  ...rest
}: PartProps<number | null> & { readonly min?: number; readonly max?: number }) {
  const { value, onChange, error } = useEdited(name);
  return (
    <NumberInput
      {...rest}
      name={name}
      value={value}
      onChange={onChange}
      error={error}
      places={0}
      min={min}
      max={max}
    />
  );
}

/** A yes/no value of the draft. */
export function CheckPart({ name, ...rest }: PartProps<boolean>) {
  const { value, onChange, error } = useEdited(name);
  return <Checkbox {...rest} name={name} isOn={value} onChange={onChange} error={error} />;
}
