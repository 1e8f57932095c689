import '@mantine/core/styles/PasswordInput.css';
import { PasswordInput as MantinePassword } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { t } from '../base/i18n.ts';
import type { TextInputProps } from './inputs.tsx';

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
