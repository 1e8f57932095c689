import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../base/i18n.ts';
import { type Found, searchLink } from '../data/documents.ts';
import { Combobox, InputBase, useCombobox } from './combobox.tsx';

const TYPING = 150;

/** Picks one document of a doctype by search. '' for none. */
export function DocumentPicker({
  doctype,
  value,
  onChange,
  label,
  description,
  placeholder,
  autoFocus,
}: {
  readonly doctype: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly label: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const combobox = useCombobox({ onDropdownClose: () => setTyped(null) });
  useEffect(() => {
    const timer = setTimeout(() => setWanted(typed), TYPING);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery({
    queryKey: ['list', doctype, 'search', wanted ?? ''],
    enabled: doctype !== '' && combobox.dropdownOpened,
    queryFn: ({ signal }) => searchLink(doctype, wanted ?? '', { signal }),
    placeholderData: (before) => before,
  });
  const isCurrent = typed === wanted && !found.isPlaceholderData;
  const shown = isCurrent ? (found.data ?? []) : fitting(found.data ?? [], typed);
  // The choice is kept by its place, so it ends when other documents take the places.
  const places = shown.map(({ value: name }) => name).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the places change
  useEffect(() => combobox.resetSelectedOption(), [places]);
  const choose = (name: string) => {
    onChange(name);
    combobox.closeDropdown();
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={choose}
      zIndex={400}
      shadow="md"
      transitionProps={{ duration: 0 }}
    >
      <Combobox.Target>
        <InputBase
          label={label}
          description={description}
          placeholder={placeholder}
          disabled={doctype === ''}
          value={typed ?? value}
          autoComplete="off"
          autoFocus={autoFocus}
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            if (event.currentTarget.value === '') onChange('');
            combobox.openDropdown();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} mah={280} style={{ overflowY: 'auto' }}>
          {(combobox.dropdownOpened ? shown : []).map((one) => (
            <Combobox.Option key={one.value} value={one.value}>
              {[...new Set([one.label, one.value, one.description])].filter(Boolean).join(' · ')}
            </Combobox.Option>
          ))}
          {found.data?.length === 0 && <Combobox.Empty>{t('Nothing found')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

// Results of an earlier text stay until the next ones arrive, as far as they fit what is typed now.
function fitting(found: readonly Found[], typed: string | null): readonly Found[] {
  const sought = (typed ?? '').toLowerCase();
  return found.filter((one) =>
    [one.value, one.label, one.description].some((text) => text?.toLowerCase().includes(sought)),
  );
}
