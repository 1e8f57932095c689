import { useEffect, useRef, useState } from 'react';
import { type Scope, useShortcut } from '../base/shortcuts.ts';
import { Icon } from './icon.tsx';
import { TextInput } from './inputs.tsx';

/** Debounce in milliseconds. */
const PAUSE = 250;

/** A search field. Reports the text after a pause in typing. */
export function SearchBox({
  value,
  onChange,
  label,
  placeholder,
  scope,
  maxLength,
  onDown,
  isFirst,
}: {
  readonly value: string;
  /** Called with the trimmed text. */
  readonly onChange: (text: string) => void;
  /** Accessible name. */
  readonly label: string;
  readonly placeholder: string;
  /** Scope in which `/` focuses this box. */
  readonly scope?: Scope;
  readonly maxLength?: number;
  /** The arrow down, which leads to the first result. */
  readonly onDown?: () => void;
  /** Takes the focus when its dialog opens. */
  readonly isFirst?: boolean;
}) {
  const [draft, setDraft] = useState(value);
  const [shown, setShown] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  // The address changed by other means, such as a removed chip or the back button.
  if (shown !== value) {
    setShown(value);
    if (draft.trim() !== value) setDraft(value);
  }
  useEffect(() => {
    const text = draft.trim();
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), PAUSE);
    return () => clearTimeout(timer);
  }, [draft, value]);
  useShortcut(scope ?? 'list', '/', label, () => input.current?.focus(), { isOn: scope !== undefined });
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={draft}
      onChange={setDraft}
      start={<Icon name="search" />}
      maxLength={maxLength}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' || !onDown || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onDown();
      }}
      data-autofocus={isFirst || undefined}
    />
  );
}
