import '@mantine/core/styles/NumberInput.css';
import { NumberInput as MantineNumber } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import type { FieldProps } from './inputs.tsx';

export interface NumberInputProps
  extends Omit<
      ComponentPropsWithRef<'input'>,
      | 'size'
      | 'onChange'
      | 'value'
      | 'defaultValue'
      | 'style'
      | 'required'
      | 'min'
      | 'max'
      | 'step'
      | 'type'
      | 'color'
    >,
    FieldProps {
  /** Null if empty. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  /** Maximum decimals; 0 for integers. */
  readonly places?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
}

/** A number input. Arrow keys change it by one step; it accepts no other characters. */
export function NumberInput({ value, onChange, places, isRequired, ...rest }: NumberInputProps) {
  return (
    <MantineNumber
      {...rest}
      value={value ?? ''}
      withAsterisk={isRequired}
      aria-required={isRequired || undefined}
      decimalScale={places}
      allowDecimal={places !== 0}
      hideControls
      clampBehavior="none"
      onChange={(next) => onChange(next === '' ? null : Number(next))}
    />
  );
}
