import { useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';

/** Milliseconds without a key press before rows are asked for. */
const PAUSE = 300;

/** A text that some field of the records contains. */
export function SearchBox({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const [draft, setDraft] = useState(text);
  const [shown, setShown] = useState(text);
  // The address changed by other means: a chip was taken away, a step back.
  if (shown !== text) {
    setShown(text);
    setDraft(text);
  }
  useEffect(() => {
    if (draft.trim() === text) return;
    const timer = setTimeout(() => onChange(draft.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [draft, text, onChange]);
  return (
    <TextInput
      type="search"
      aria-label={t('Search these records')}
      placeholder={t('Search')}
      value={draft}
      onChange={setDraft}
      start={<Icon name="search" />}
      maxLength={140}
    />
  );
}
