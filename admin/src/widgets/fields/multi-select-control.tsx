import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { useTitleOf, wantTitles } from '../../meta/link-titles.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Combobox, Pill, PillsInput, useCombobox } from '../combobox.tsx';
import { frameOf } from './control-frame.ts';
import { type Choice, isFound } from './link-list.ts';
import { LinkOptions, listAttributes } from './link-options.tsx';
import { noteSettling, useLinkList } from './link-search.ts';

export interface MultiSelectProps extends Omit<ControlProps, 'value' | 'onChange'> {
  /** The doctype of the choices. */
  readonly target: string;
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** Table MultiSelect: several documents of one doctype, each as a pill. Backspace removes the last one. */
export function MultiSelectControl(props: MultiSelectProps) {
  const { field, target, names, isReadOnly, isRequired, autoFocus } = props;
  const picker = useMultiPicker(props);
  const { combobox, options, text, problem, toggle } = picker;
  const {
    isRequired: _,
    'aria-label': name,
    ...frame
  } = frameOf({ ...props, error: problem ?? props.error });
  const id = useId();
  const isOpen = combobox.dropdownOpened;
  return (
    <Combobox
      store={combobox}
      shadow="md"
      zIndex={400}
      transitionProps={{ duration: 0 }}
      onOptionSubmit={toggle}
    >
      <Combobox.DropdownTarget>
        <PillsInput
          {...frame}
          withAsterisk={isRequired}
          onClick={() => !isReadOnly && combobox.openDropdown()}
        >
          <Pill.Group>
            {names.map((one) => (
              <Choices key={one} {...{ target, name: one, isReadOnly }} onRemove={() => toggle(one)} />
            ))}
            <PillsInput.Field
              {...listAttributes(id, isOpen, options)}
              aria-label={name ?? labelOf(field)}
              autoComplete="off"
              autoFocus={autoFocus}
              value={text}
              readOnly={isReadOnly}
              onChange={(event) => picker.type(event.currentTarget.value)}
              onBlur={picker.leave}
              onKeyDown={picker.press}
            />
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={isReadOnly}>
        {isOpen && <LinkOptions {...{ id, target, options }} extras={[]} />}
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface ChoicesProps {
  readonly target: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly onRemove: () => void;
}

function Choices({ target, name, isReadOnly, onRemove }: ChoicesProps) {
  const title = useTitleOf()(target, name) ?? name;
  return (
    <Pill
      withRemoveButton={!isReadOnly}
      onRemove={onRemove}
      removeButtonProps={{
        'aria-label': t('Remove {text}', { text: title }),
        'aria-hidden': undefined,
        tabIndex: 0,
      }}
    >
      {title}
    </Pill>
  );
}

function useMultiPicker({ target, names, onChange, isReadOnly }: MultiSelectProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const combobox = useCombobox();
  const isOpen = combobox.dropdownOpened;
  wantTitles(target, names);
  const [list, options] = useLinkList(target, names.length === 0 ? null : [['name', 'not in', names]]);
  useEffect(() => {
    if (isOpen) list.look(text);
  }, [list, isOpen, text]);
  const toggle = (name: string) => {
    setText('');
    setProblem(undefined);
    onChange(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  };
  const take = (choice: Choice | null) => {
    if (isFound(choice)) toggle(choice.value);
    else if (text.trim() !== '')
      setProblem(t('No {doctype} “{text}”', { doctype: t(target), text: text.trim() }));
  };
  const press = (event: KeyboardEvent) => {
    const last = names.at(-1);
    if (isReadOnly || event.nativeEvent.isComposing) return;
    if (event.key === 'Backspace' && text === '' && last !== undefined) toggle(last);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (isOpen) list.move(event.key === 'ArrowDown' ? 1 : -1);
      else combobox.openDropdown('keyboard');
    } else if (event.key === 'Escape') combobox.closeDropdown();
    else if ((event.key === 'Enter' || event.key === 'Tab') && isOpen) {
      if (event.key === 'Enter') event.preventDefault();
      noteSettling(list.choice().then(take));
    }
  };
  const type = (next: string) => {
    setText(next);
    setProblem(undefined);
    list.look(next);
    combobox.openDropdown('keyboard');
  };
  return { combobox, options, text, problem, toggle, press, type, leave: () => combobox.closeDropdown() };
}
