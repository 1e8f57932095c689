import '@mantine/core/styles/Combobox.css';
import { Select as MantineSelect } from '@mantine/core';
import { t } from '../base/i18n.ts';
import type { FieldProps } from './inputs.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

export interface SelectProps extends FieldProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly choices: readonly (Choice | string)[];
  /** Adds a search field for long lists; the default from ten choices on. */
  readonly isSearchable?: boolean;
  /** The user can clear the value. */
  readonly isClearable?: boolean;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
  readonly id?: string;
  readonly name?: string;
  readonly autoFocus?: boolean;
  /** False: a click, a key or typing opens the options, but not the focus alone. */
  readonly openOnFocus?: boolean;
  readonly className?: string;
  readonly onBlur?: () => void;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}

/** A choice of one option. Options are mounted only while it is open. */
export function Select({ choices, isRequired, isSearchable, isClearable = false, ...rest }: SelectProps) {
  const isNarrowed = isSearchable ?? choices.length >= 10;
  return (
    <MantineSelect
      {...rest}
      data={choices.map((one) => (typeof one === 'string' ? one : { ...one }))}
      withAsterisk={isRequired}
      aria-required={isRequired || undefined}
      searchable={isNarrowed}
      selectFirstOptionOnChange={isNarrowed}
      // Typed text replaces the current text, as in other search fields.
      onFocus={(event) => isNarrowed && event.currentTarget.select()}
      clearable={isClearable}
      // A value that cannot be changed has no arrow.
      rightSection={rest.readOnly ? <span /> : undefined}
      clearButtonProps={{ 'aria-label': t('Clear') }}
      allowDeselect={false}
      checkIconPosition="right"
      nothingFoundMessage={t('Nothing found')}
      limit={200}
      // The list itself scrolls: a scroll area around it would need its own tab stop.
      withScrollArea={false}
      styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      comboboxProps={{ shadow: 'md', zIndex: 400, transitionProps: { duration: 0 } }}
    />
  );
}
