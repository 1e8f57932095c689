import { Input } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import type { FieldProps } from './inputs.tsx';

/** Attributes that bind a control to the label, description and error of its frame. */
export interface Framed {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** Label, description and error around a control that does not bring its own. */
export function FieldFrame({
  label,
  description,
  error,
  isRequired,
  children,
}: FieldProps & { readonly children: (framed: Framed) => ReactElement }) {
  const id = useId();
  const described = [description ? `${id}-description` : '', error ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ');
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
      withAsterisk={isRequired}
      descriptionProps={{ id: `${id}-description` }}
      errorProps={{ id: `${id}-error` }}
    >
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
    </Input.Wrapper>
  );
}
