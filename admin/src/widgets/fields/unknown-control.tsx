import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { TextInput } from '../inputs.tsx';
import { frameOf, textOf } from './control-frame.ts';

/** A field of an unknown fieldtype: its value as read-only text. */
export function UnknownControl(props: ControlProps) {
  const { field, value } = props;
  return (
    <TextInput
      {...frameOf(props)}
      description={t('Unsupported field type: {fieldtype}', {
        fieldtype: field.fieldtype,
      })}
      value={textOf(value)}
      readOnly
      onChange={() => undefined}
    />
  );
}
