import '@mantine/core/styles/PasswordInput.css';
import { PasswordInput as MantinePassword } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { t } from '../base/i18n.ts';
import type { TextInputProps } from './inputs.tsx';

/** A one-line input that hides its text until the user reveals it. */
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
