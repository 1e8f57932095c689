import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { choicesOf } from '../../meta/field-values.ts';
import { Combobox, InputBase, useCombobox } from '../combobox.tsx';
import { Highlight } from '../highlight.tsx';
import { frameOf, textOf } from './control-frame.ts';

/** Maximum options shown. */
const MOST = 50;

/** Autocomplete: free text with suggestions. */
export function AutocompleteControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell, isRequired, autoFocus } = props;
  const { isRequired: _, ...frame } = frameOf(props);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [isTyped, setTyped] = useState(false);
  const text = textOf(value);
  const part = isTyped ? text.toLowerCase() : '';
  const fitting = choicesOf(field)
    .filter((one) => one.toLowerCase().includes(part))
    .slice(0, MOST);
  return (
    <Combobox
      store={combobox}
      shadow="md"
      zIndex={400}
      transitionProps={{ duration: 0 }}
      onOptionSubmit={(option) => {
        onChange(option);
        setTyped(false);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          {...frame}
          withAsterisk={isRequired && !isInCell}
          role="combobox"
          aria-autocomplete="list"
          aria-required={isRequired || undefined}
          autoComplete="off"
          value={text}
          readOnly={isReadOnly}
          autoFocus={autoFocus}
          onChange={(event) => {
            setTyped(true);
            onChange(event.currentTarget.value);
            combobox.openDropdown();
          }}
          onClick={() => !isReadOnly && combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown();
            setTyped(false);
            onCommit?.();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={isReadOnly || fitting.length === 0}>
        <Combobox.Options aria-label={t('Suggestions')}>
          {combobox.dropdownOpened &&
            fitting.map((one) => (
              <Combobox.Option value={one} key={one}>
                <Highlight text={one} part={part} />
              </Combobox.Option>
            ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
