import { useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import css from './deliveries.module.css';

/** Milliseconds without a key press before the address changes. */
const TYPING = 300;

/** Filters by part of a document's name, after a pause in typing. */
export function DocumentInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextInput
      className={css['filter']}
      type="search"
      aria-label={t('Document')}
      placeholder={t('Document…')}
      start={<Icon name="search" />}
      value={typed}
      onChange={setTyped}
    />
  );
}
