import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useLinkSearch } from './fields/link-search.ts';

export interface ValuesInputProps {
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  /** Suggestions; other values can be typed. */
  readonly choices?: readonly string[];
  /** Suggests documents of this doctype while the user types. */
  readonly doctype?: string;
  readonly placeholder?: string;
}

/** Several values, which may contain spaces: Enter, a comma or a line break ends each. */
export function ValuesInput({
  label,
  value,
  onChange,
  choices = [],
  doctype = '',
  placeholder,
}: ValuesInputProps) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { found } = useLinkSearch(doctype, isOpen ? text : null, null);
  return (
    <TagsInput
      aria-label={label}
      value={[...value]}
      onChange={onChange}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      data={doctype === '' ? [...choices] : found.map((one) => one.value)}
      splitChars={[',', '\n', '\t']}
      acceptValueOnBlur
      placeholder={value.length === 0 ? placeholder : undefined}
      limit={100}
      maxDropdownHeight={240}
      comboboxProps={{ shadow: 'md', zIndex: 400, transitionProps: { duration: 0 } }}
    />
  );
}
