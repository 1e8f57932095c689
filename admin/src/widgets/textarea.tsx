import { Textarea as MantineTextarea } from '@mantine/core';
import type { ChangeEvent } from 'react';
import type { FieldProps, Native, Text } from './inputs.tsx';

export interface TextareaProps extends Native<'textarea'>, FieldProps, Text {
  readonly rows?: number;
  /** Monospaced, for code. */
  readonly isCode?: boolean;
}

/** Multi-line text. The user resizes it: automatic height would cost a layout per key press. */
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
