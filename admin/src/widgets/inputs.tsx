import '@mantine/core/styles/PasswordInput.css';
import {
  PasswordInput as MantinePassword,
  TextInput as MantineText,
  Textarea as MantineTextarea,
} from '@mantine/core';
import type { ChangeEvent, ComponentPropsWithRef, ReactNode } from 'react';
import { t } from '../base/i18n.ts';

/** What every control with a label has. */
export interface FieldProps {
  /** Seen above; a control without one has an `aria-label`. */
  readonly label?: ReactNode;
  readonly description?: ReactNode;
  /** What is wrong with the value: shown below, and read out with the control. */
  readonly error?: ReactNode;
  readonly isRequired?: boolean;
}

type Native<Tag extends 'input' | 'textarea'> = Omit<
  ComponentPropsWithRef<Tag>,
  'size' | 'onChange' | 'value' | 'defaultValue' | 'style' | 'required'
>;

interface Text {
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

/** One line that is hidden until its owner wants to see it. */
export function PasswordInput({ isRequired, onChange, ...rest }: Omit<TextInputProps, 'start' | 'end'>) {
  return (
    <MantinePassword
      {...rest}
      withAsterisk={isRequired}
      aria-required={isRequired || undefined}
      visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password') }}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value)}
    />
  );
}

export interface TextareaProps extends Native<'textarea'>, FieldProps, Text {
  readonly rows?: number;
  /** For code: letters of one width. */
  readonly isCode?: boolean;
}

/** Several lines of text. Its height is dragged, not measured: measuring costs each key press a layout. */
export function Textarea({ isRequired, onChange, isCode, ...rest }: TextareaProps) {
  return (
    <MantineTextarea
      {...rest}
      withAsterisk={isRequired}
      aria-required={isRequired || undefined}
      resize="vertical"
      spellCheck={isCode ? false : undefined}
      styles={isCode ? { input: { fontFamily: 'var(--font-mono)', fontSize: 'var(--text-sm)' } } : undefined}
      onChange={(event: ChangeEvent<HTMLTextAreaElement>) => onChange(event.currentTarget.value)}
    />
  );
}
