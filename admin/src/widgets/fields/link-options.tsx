import { useEffect } from 'react';
import { t } from '../../base/i18n.ts';
import type { Found } from '../../data/documents.ts';
import { Combobox } from '../combobox.tsx';
import { messagesOf } from '../error-panel.tsx';
import { Highlight } from '../highlight.tsx';
import { Icon } from '../icon.tsx';
import css from './fields.module.css';
import { type Extra, type LinkOptionsState, NEW, SEARCH } from './link-list.ts';

interface LinkOptionsProps {
  readonly id: string;
  readonly target: string;
  readonly options: LinkOptionsState;
  readonly extras: readonly Extra[];
}

/** Attributes of the input of a picker: its list and the highlighted entry. */
export function listAttributes(id: string, isOpen: boolean, { active }: LinkOptionsState) {
  return {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': isOpen && active >= 0 ? `${id}-${active}` : undefined,
    // Escape then closes the list instead of a dialog around it.
    'data-mantine-stop-propagation': isOpen || undefined,
  } as const;
}

/** The options of a picker. */
export function LinkOptions({ id, target, options, extras }: LinkOptionsProps) {
  const { text, found, isLoading, error, active, isFirm } = options;
  useEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  const attributes = (at: number) => ({
    id: `${id}-${at}`,
    selected: at === active && isFirm,
    'aria-selected': at === active,
    'data-first': (at === active && !isFirm) || undefined,
  });
  return (
    <Combobox.Options id={id} aria-label={t(target)} className={css['options']}>
      {found.map((one, at) => (
        <Combobox.Option value={one.value} key={one.value} {...attributes(at)}>
          <span className={css['found']} dir="auto">
            <Highlight text={one.label ?? one.value} part={text ?? ''} />
          </span>
          {detailOf(one) !== '' && (
            <span className={css['detail']} dir="auto">
              <Highlight text={detailOf(one)} part={text ?? ''} />
            </span>
          )}
        </Combobox.Option>
      ))}
      {found.length === 0 && (
        <Combobox.Empty>
          {error === null ? (isLoading ? t('Searching…') : t('Nothing found')) : (messagesOf(error)[0] ?? '')}
        </Combobox.Empty>
      )}
      {extras.map((extra, at) => (
        <Combobox.Option
          // No document can have this name.
          value={`\u0000${extra}`}
          key={extra}
          className={css[at === 0 ? 'extraFirst' : 'extra']}
          {...attributes(found.length + at)}
        >
          <Icon name={extra === NEW ? 'plus' : 'search'} size={14} />
          {extra === SEARCH ? t('Advanced search') : nameOfNew(target, text ?? '')}
        </Combobox.Option>
      ))}
    </Combobox.Options>
  );
}

function nameOfNew(target: string, text: string): string {
  return text === ''
    ? t('New {doctype}', { doctype: t(target) })
    : t('New {doctype} “{text}”', { doctype: t(target), text });
}

function detailOf({ value, label, description }: Found): string {
  return [label && label !== value ? value : '', description].filter(Boolean).join(' · ');
}
