import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { t } from '../base/i18n.ts';
import { keys } from '../data/keys.ts';
import { suggestTags } from '../data/marks.ts';
import { Combobox, InputBase, useCombobox } from './combobox.tsx';

const TYPING = 150;

interface TagPickerProps {
  readonly doctype: string;
  readonly label: string;
  /** Tags that are not suggested. */
  readonly taken: readonly string[];
  /** True while a tag is being added: the text stays. */
  readonly isBusy: boolean;
  readonly onPick: (tag: string) => void;
}

/** An input for one tag after another: typed and entered, or chosen from those in use. */
export function TagPicker({ doctype, label, taken, isBusy, onPick }: TagPickerProps) {
  const [text, setText] = useState('');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const suggested = useSuggestions(doctype, text).filter((tag) => !taken.includes(tag));
  // The choice is kept by its place, so it ends when other tags take the places.
  const places = suggested.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the places change
  useEffect(() => combobox.resetSelectedOption(), [places]);
  const pick = (tag: string) => {
    const plain = tag.trim();
    if (plain === '' || isBusy) return;
    setText('');
    combobox.resetSelectedOption();
    if (!taken.includes(plain)) onPick(plain);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isChosen = combobox.getSelectedOptionIndex() !== -1 && combobox.dropdownOpened;
    if (event.nativeEvent.isComposing || (event.key === 'Enter' && isChosen)) return;
    if (event.key !== 'Enter' && event.key !== ',') return;
    event.preventDefault();
    pick(text);
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={pick}
      zIndex={400}
      shadow="md"
      transitionProps={{ duration: 0 }}
    >
      <Combobox.Target>
        <InputBase
          label={label}
          placeholder={t('Type a tag and press Enter')}
          autoFocus
          autoComplete="off"
          maxLength={140}
          value={text}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={suggested.length === 0}>
        <Combobox.Options aria-label={t('Suggestions')} mah={240} style={{ overflowY: 'auto' }}>
          {combobox.dropdownOpened &&
            suggested.map((tag) => (
              <Combobox.Option key={tag} value={tag}>
                <bdi>{tag}</bdi>
              </Combobox.Option>
            ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

// Those of an earlier text stay while the next ones load, as far as they fit.
function useSuggestions(doctype: string, text: string): readonly string[] {
  const [sought, setSought] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim()), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    queryKey: [...keys.lists(doctype), 'tags', sought],
    queryFn: ({ signal }) => suggestTags(doctype, sought, signal),
    placeholderData: (before) => before,
  });
  const part = text.trim().toLowerCase();
  return (data ?? []).filter((tag) => tag.toLowerCase().includes(part));
}
