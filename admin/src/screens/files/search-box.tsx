import { useEffect, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import css from './files.module.css';

/** Milliseconds without a key press before the server is asked. */
const SETTLE = 250;

/** Looks for files by name, in all folders. */
export function SearchBox({
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
  useShortcut('files', '/', t('Search files'), () => input.current?.focus());
  return (
    <div className={css['search']}>
      <TextInput
        ref={input}
        type="search"
        aria-label={t('Search files')}
        placeholder={t('Search all folders')}
        value={text}
        onChange={setText}
        start={<Icon name="search" />}
      />
    </div>
  );
}
