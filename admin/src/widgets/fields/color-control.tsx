import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { TextInput } from '../inputs.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';

/** Color: a text field with a colour picker. */
export function ColorControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, autoFocus } = props;
  const text = textOf(value);
  const isPlain = /^#[0-9a-f]{6}$/i.test(text);
  return (
    <TextInput
      {...frameOf(props)}
      value={text}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={onChange}
      onBlur={onCommit}
      start={
        <input
          type="color"
          className={css['swatch']}
          aria-label={t('Pick {field}', { field: labelOf(field) })}
          value={isPlain ? text.toLowerCase() : '#ffffff'}
          disabled={isReadOnly}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      }
    />
  );
}
