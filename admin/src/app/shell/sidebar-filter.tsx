import type { KeyboardEvent } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import css from './sidebar.module.css';

interface SideFilterProps {
  readonly typed: string;
  readonly onChange: (typed: string) => void;
  /** The path that Enter opens. */
  readonly first: string | undefined;
}

/** Finds screens and doctypes of the sidebar by name. */
export function SideFilter({ typed, onChange, first }: SideFilterProps) {
  const go = useGo();
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && typed !== '') onChange('');
    else if (event.key === 'Enter' && typed.trim() !== '' && first !== undefined) {
      go(first);
      onChange('');
    }
  };
  return (
    <div className={css['filter']}>
      <TextInput
        type="search"
        aria-label={t('Find a doctype or screen')}
        placeholder={t('Find a doctype')}
        autoComplete="off"
        spellCheck={false}
        start={<Icon name="search" size={14} />}
        value={typed}
        onChange={onChange}
        onKeyDown={press}
      />
    </div>
  );
}
