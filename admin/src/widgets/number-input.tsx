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
  /** Null while it is empty. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  /** Decimals at most; 0 for whole numbers. */
  readonly places?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
}

/** A number. Arrow keys step it; what is no number cannot be typed. */
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
