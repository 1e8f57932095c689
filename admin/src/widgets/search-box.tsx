import { useEffect, useRef, useState } from 'react';
import { type Scope, useShortcut } from '../base/shortcuts.ts';
import { Icon } from './icon.tsx';
import { TextInput } from './inputs.tsx';

/** Milliseconds without a key press before the server is asked. */
const PAUSE = 250;

/** Looks for a text, which is told when nobody types any more. */
export function SearchBox({
  value,
  onChange,
  label,
  placeholder,
  scope,
  maxLength,
}: {
  readonly value: string;
  /** Told without what is blank at its ends. */
  readonly onChange: (text: string) => void;
  /** For screen readers. */
  readonly label: string;
  readonly placeholder: string;
  /** Scope in which `/` focuses this box. */
  readonly scope?: Scope;
  readonly maxLength?: number;
}) {
  const [draft, setDraft] = useState(value);
  const [shown, setShown] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  // The address changed by other means: a chip was taken away, a step back.
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
    />
  );
}
