import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/FloatingIndicator.css';
import { SegmentedControl as MantineSegmented } from '@mantine/core';
import type { Choice } from './select.tsx';

/** A choice between a few visible options. */
export function SegmentedControl<T extends string>({
  value,
  onChange,
  choices,
  label,
}: {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly choices: readonly (Choice & { readonly value: T })[];
  /** Accessible name. */
  readonly label: string;
}) {
  return (
    <MantineSegmented
      aria-label={label}
      size="sm"
      value={value}
      onChange={(next) => onChange(next as T)}
      data={choices.map((one) => ({ ...one }))}
      transitionDuration={0}
    />
  );
}
