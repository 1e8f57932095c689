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
  /** A field to narrow long lists by; on by itself from ten choices. */
  readonly isSearchable?: boolean;
  /** The value can be taken away. */
  readonly isClearable?: boolean;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
  readonly id?: string;
  readonly name?: string;
  readonly autoFocus?: boolean;
  readonly className?: string;
  readonly onBlur?: () => void;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}

/** One of several. Options are mounted while it is open only. */
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
      // What is typed replaces what stands there, as in any list of this kind.
      onFocus={(event) => isNarrowed && event.currentTarget.select()}
      clearable={isClearable}
      clearButtonProps={{ 'aria-label': t('Clear') }}
      allowDeselect={false}
      checkIconPosition="right"
      nothingFoundMessage={t('Nothing found')}
      limit={200}
      // The list itself scrolls: an area around it would have to be reached by the keyboard.
      withScrollArea={false}
      styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      comboboxProps={{ shadow: 'md', zIndex: 400, transitionProps: { duration: 0 } }}
    />
  );
}
