import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react';
import type { ControlProps } from '../../meta/field-registry.ts';
import { may } from '../../meta/permissions.ts';
import { useCombobox } from '../combobox.tsx';
import { textOf } from './control-frame.ts';
import { CreateNewContext, SearchAllContext } from './create-new.ts';
import { leaveLink } from './leave-link.ts';
import { type Choice, type Extra, NEW, SEARCH } from './link-list.ts';
import { filtersOf, noteSettling, useLinkList } from './link-search.ts';

/** What the user does in a link's field. Enter and Tab take the highlighted document. */
export function useLinkPicker(props: ControlProps, target: string) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell } = props;
  const createNew = useContext(CreateNewContext);
  const searchAll = useContext(SearchAllContext);
  const filters = filtersOf(field.link_filters);
  const canCreate = createNew !== null && may(target, 'create');
  const extras: Extra[] = [...(searchAll ? ([SEARCH] as const) : []), ...(canCreate ? ([NEW] as const) : [])];
  const [list, options] = useLinkList(target, filters, extras);
  const [text, setText] = useState<string | null>(null);
  const combobox = useCombobox();
  const input = useRef<HTMLInputElement>(null);
  /** True while a dialog has the focus. The typed text is then no value of this field. */
  const isAway = useRef(false);
  const isTaken = useRef(false);
  const isClosed = isReadOnly || target === '';
  const { dropdownOpened: isOpen } = combobox;
  useEffect(() => {
    if (isOpen) list.look(text ?? '');
  }, [list, isOpen, text]);

  const close = () => {
    combobox.closeDropdown();
    setText(null);
    list.look(null);
  };
  const choose = (next: string | null) => {
    close();
    onChange(next);
    onCommit?.();
  };
  const goAway = async (ask: Promise<string | null> | undefined) => {
    isAway.current = true;
    combobox.closeDropdown();
    const made = await ask;
    isAway.current = false;
    if (made) choose(made);
    else close();
    input.current?.focus();
  };
  const take = async (choice: Choice | null) => {
    if (choice === NEW) return goAway(createNew?.(target, text ?? ''));
    if (choice === SEARCH) return goAway(searchAll?.(target, text ?? '', filters));
    if (choice) choose(choice.value);
    else if (text !== null && text.trim() === '') choose(null);
  };
  const leave = () => {
    const takes = isTaken.current;
    isTaken.current = false;
    combobox.closeDropdown();
    if (!isAway.current)
      noteSettling(
        leaveLink({ props, target, list, text, takes, close, choose, clear: () => setText(null) }),
      );
  };
  const press = (event: KeyboardEvent) => {
    if (isClosed || event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (event.altKey) return;
      event.preventDefault();
      if (isOpen) list.move(event.key === 'ArrowDown' ? 1 : -1);
      else combobox.openDropdown('keyboard');
    } else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Tab') isTaken.current = isOpen;
    else if (event.key === 'Enter' && isOpen) {
      const now = list.choiceNow();
      // The grid ends the editing of the cell, which then leaves this field.
      if (isInCell && now !== NEW && now !== SEARCH) isTaken.current = true;
      else {
        event.preventDefault();
        noteSettling(list.choice().then(take));
      }
    }
  };
  return {
    ...{ list, options, extras, text, combobox, input, isOpen, isClosed, press, take, choose, leave },
    name: textOf(value),
    type: (next: string) => {
      setText(next);
      list.look(next);
      combobox.openDropdown('keyboard');
    },
    open: () => !isClosed && combobox.openDropdown('mouse'),
  };
}

export type LinkPicker = ReturnType<typeof useLinkPicker>;
