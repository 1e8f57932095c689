import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { MultiSelect as MantineMultiSelect, TagsInput as MantineTagsInput } from '@mantine/core';
import { t } from '../base/i18n.ts';
import type { FieldProps } from './inputs.tsx';
import type { Choice } from './select.tsx';

interface Tokens extends FieldProps {
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  readonly placeholder?: string;
  readonly disabled?: boolean;
}

const DROPDOWN = { shadow: 'md', zIndex: 400, transitionProps: { duration: 0 } } as const;

/** A choice of several options. Chosen options are in the field; typing filters the others. */
export function MultiSelect({
  value,
  choices,
  isRequired,
  ...rest
}: Tokens & { readonly choices: readonly (Choice | string)[] }) {
  return (
    <MantineMultiSelect
      {...rest}
      value={[...value]}
      data={choices.map((one) => (typeof one === 'string' ? one : { ...one }))}
      withAsterisk={isRequired}
      searchable
      hidePickedOptions
      nothingFoundMessage={t('Nothing found')}
      limit={100}
      maxDropdownHeight={240}
      comboboxProps={DROPDOWN}
    />
  );
}

/** Words, typed one by one or pasted with commas or line breaks in between. */
export function WordsInput({ value, isRequired, ...rest }: Tokens) {
  return (
    <MantineTagsInput
      {...rest}
      value={[...value]}
      data={[]}
      splitChars={[',', ' ', '\n']}
      acceptValueOnBlur
      withAsterisk={isRequired}
      comboboxProps={DROPDOWN}
    />
  );
}
