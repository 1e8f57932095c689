import { TextInput as MantineText } from '@mantine/core';
import type { ChangeEvent, ComponentPropsWithRef, ReactNode } from 'react';

/** Common props of labelled controls. */
export interface FieldProps {
  /** Visible label above the control. A control without one has an `aria-label`. */
  readonly label?: ReactNode;
  readonly description?: ReactNode;
  /** The error of the value, shown below it and announced with the control. */
  readonly error?: ReactNode;
  readonly isRequired?: boolean;
}

/** Attributes of a native control that are passed on. */
export type Native<Tag extends 'input' | 'textarea'> = Omit<
  ComponentPropsWithRef<Tag>,
  'size' | 'onChange' | 'value' | 'defaultValue' | 'style' | 'required'
>;

/** A control whose value is text. */
export interface Text {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export interface TextInputProps extends Native<'input'>, FieldProps, Text {
  readonly start?: ReactNode;
  readonly end?: ReactNode;
}

/** One line of text. */
export function TextInput({ isRequired, onChange, start, end, ...rest }: TextInputProps) {
  return (
    <MantineText
      {...rest}
      withAsterisk={isRequired}
      aria-required={isRequired || undefined}
      leftSection={start}
      rightSection={end}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value)}
    />
  );
}
