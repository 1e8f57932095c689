import { useEffect, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import css from './users.module.css';

/** Milliseconds without a key press before the server is asked. */
const SETTLE = 250;

/** Looks for users by name and address. */
export function UserSearch({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), SETTLE);
    return () => clearTimeout(timer);
  }, [text, value]);
  useShortcut('list', '/', t('Search users'), () => input.current?.focus());
  return (
    <div className={css['search']}>
      <TextInput
        ref={input}
        type="search"
        aria-label={t('Search users')}
        placeholder={t('Name or e-mail')}
        value={text}
        onChange={setText}
        start={<Icon name="search" />}
      />
    </div>
  );
}
