import { Textarea as MantineTextarea } from '@mantine/core';
import type { ChangeEvent } from 'react';
import type { FieldProps, Native, Text } from './inputs.tsx';

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
