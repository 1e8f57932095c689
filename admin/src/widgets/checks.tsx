import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Switch.css';
import { Checkbox as MantineCheckbox, Switch as MantineSwitch } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import type { FieldProps } from './inputs.tsx';

export interface CheckProps
  extends Omit<
      ComponentPropsWithRef<'input'>,
      'size' | 'onChange' | 'value' | 'checked' | 'style' | 'type' | 'required'
    >,
    Omit<FieldProps, 'isRequired'> {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** True if only some of the covered items are on. */
  readonly isMixed?: boolean;
}

/** A yes/no value of a form, saved with it. */
export function Checkbox({ isOn, isMixed, onChange, ...rest }: CheckProps) {
  return (
    <MantineCheckbox
      {...rest}
      size="xs"
      checked={isOn}
      indeterminate={isMixed}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** An on/off setting that takes effect at once. */
export function Switch({ isOn, onChange, isMixed: _mixed, ...rest }: CheckProps) {
  return (
    <MantineSwitch
      {...rest}
      size="sm"
      withThumbIndicator={false}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
