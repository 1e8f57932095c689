import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../base/i18n.ts';
import { type Found, searchLink } from '../data/documents.ts';
import { Combobox, InputBase, useCombobox } from './combobox.tsx';

const TYPING = 150;

interface DocumentPickerProps {
  readonly doctype: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly label: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly isRequired?: boolean;
}

/** Picks one document of a doctype by search. '' for none. */
export function DocumentPicker(props: DocumentPickerProps) {
  const { doctype, value, onChange, label, description, placeholder, autoFocus, isRequired } = props;
  const { combobox, typed, type, shown, isNothing } = useDocumentSearch(doctype);
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(name) => {
        onChange(name);
        combobox.closeDropdown();
      }}
      zIndex={400}
      shadow="md"
      transitionProps={{ duration: 0 }}
    >
      <Combobox.Target>
        <InputBase
          label={label}
          description={description}
          placeholder={placeholder}
          withAsterisk={isRequired}
          aria-required={isRequired || undefined}
          disabled={doctype === ''}
          value={typed ?? value}
          autoComplete="off"
          autoFocus={autoFocus}
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onChange={({ currentTarget: { value: text } }) => {
            if (text === '') onChange('');
            type(text);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} mah={280} style={{ overflowY: 'auto' }}>
          {shown.map((one) => (
            <Combobox.Option key={one.value} value={one.value}>
              {[...new Set([one.label, one.value, one.description])].filter(Boolean).join(' · ')}
            </Combobox.Option>
          ))}
          {isNothing && <Combobox.Empty>{t('Nothing found')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** The typed text, null until the user types, and the documents that fit it. */
function useDocumentSearch(doctype: string) {
  const [typed, setTyped] = useState<string | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const combobox = useCombobox({ onDropdownClose: () => setTyped(null) });
  const { dropdownOpened: isOpen } = combobox;
  useEffect(() => {
    const timer = setTimeout(() => setWanted(typed), TYPING);
    return () => clearTimeout(timer);
  }, [typed]);
  const {
    data = [],
    isSuccess,
    isPlaceholderData,
  } = useQuery({
    queryKey: ['list', doctype, 'search', wanted ?? ''],
    enabled: doctype !== '' && isOpen,
    queryFn: ({ signal }) => searchLink(doctype, wanted ?? '', { signal }),
    placeholderData: (before) => before,
  });
  const isCurrent = typed === wanted && !isPlaceholderData;
  const fit = isCurrent ? data : fitting(data, typed);
  // The choice is kept by its place, so it ends when other documents take the places.
  const places = fit.map(({ value: name }) => name).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the places change
  useEffect(() => combobox.resetSelectedOption(), [places]);
  return {
    ...{ combobox, typed, shown: isOpen ? fit : [], isNothing: isSuccess && data.length === 0 },
    type: (text: string) => {
      setTyped(text);
      combobox.openDropdown();
    },
  };
}

// Results of an earlier text stay until the next ones arrive, as far as they fit what is typed now.
function fitting(found: readonly Found[], typed: string | null): readonly Found[] {
  const sought = (typed ?? '').toLowerCase();
  return found.filter((one) =>
    [one.value, one.label, one.description].some((text) => text?.toLowerCase().includes(sought)),
  );
}
