import type { ControlProps } from '../../meta/field-registry.ts';
import { choicesOf } from '../../meta/field-values.ts';
import { Select } from '../select.tsx';
import { frameOf, textOf } from './control-frame.ts';

/** Select: one of its options, as the doctype spells them. An obsolete value stays until the user chooses another. */
export function SelectControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isRequired, autoFocus } = props;
  const text = textOf(value);
  const known = choicesOf(field);
  const choices = text === '' || known.includes(text) ? known : [text, ...known];
  const hasEmpty = field.options.split('\n').some((one) => one.trim() === '');
  return (
    <Select
      {...frameOf(props)}
      value={text === '' ? null : text}
      choices={choices.map((one) => ({ value: one, label: one }))}
      isClearable={!isReadOnly && (hasEmpty || !isRequired)}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={onChange}
      onBlur={onCommit}
    />
  );
}
