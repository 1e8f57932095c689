import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { useTitleOf, wantTitles } from '../../meta/link-titles.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Combobox, Pill, PillsInput, useCombobox } from '../combobox.tsx';
import { frameOf } from './control-frame.ts';
import { LinkOptions } from './link-options.tsx';
import { useLinkSearch } from './link-search.ts';

export interface MultiSelectProps extends Omit<ControlProps, 'value' | 'onChange'> {
  /** The doctype of the choices. */
  readonly target: string;
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** Table MultiSelect: several documents of one doctype, each as a pill. Backspace removes the last one. */
export function MultiSelectControl(props: MultiSelectProps) {
  const { field, target, names, onChange, isReadOnly, isRequired, autoFocus } = props;
  const { isRequired: _, 'aria-label': name, ...frame } = frameOf(props);
  const [text, setText] = useState('');
  const titleOf = useTitleOf();
  wantTitles(target, names);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const { found, isLoading, error } = useLinkSearch(target, combobox.dropdownOpened ? text : null, null);
  const remove = (gone: string) => onChange(names.filter((one) => one !== gone));
  return (
    <Combobox
      store={combobox}
      shadow="md"
      zIndex={400}
      transitionProps={{ duration: 0 }}
      onOptionSubmit={(option) => {
        setText('');
        onChange(names.includes(option) ? names.filter((one) => one !== option) : [...names, option]);
      }}
    >
      <Combobox.DropdownTarget>
        <PillsInput
          {...frame}
          withAsterisk={isRequired}
          onClick={() => !isReadOnly && combobox.openDropdown()}
        >
          <Pill.Group>
            {names.map((one) => (
              <Pill
                key={one}
                withRemoveButton={!isReadOnly}
                onRemove={() => remove(one)}
                removeButtonProps={{
                  'aria-label': t('Remove {text}', { text: titleOf(target, one) ?? one }),
                  'aria-hidden': undefined,
                  tabIndex: 0,
                }}
              >
                {titleOf(target, one) ?? one}
              </Pill>
            ))}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                role="combobox"
                aria-label={name ?? labelOf(field)}
                aria-autocomplete="list"
                autoComplete="off"
                autoFocus={autoFocus}
                value={text}
                readOnly={isReadOnly}
                onChange={(event) => {
                  setText(event.currentTarget.value);
                  combobox.openDropdown();
                }}
                onBlur={() => {
                  combobox.closeDropdown();
                  setText('');
                }}
                onKeyDown={(event) => {
                  const last = names.at(-1);
                  if (event.key === 'Backspace' && text === '' && last !== undefined && !isReadOnly)
                    remove(last);
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={isReadOnly}>
        {combobox.dropdownOpened && (
          <LinkOptions
            target={target}
            text={text}
            found={found.filter((one) => !names.includes(one.value))}
            isLoading={isLoading}
            error={error}
            canCreate={false}
          />
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
