import { t } from '../../base/i18n.ts';
import type { Found } from '../../data/documents.ts';
import { Combobox } from '../combobox.tsx';
import { messagesOf } from '../error-panel.tsx';
import { Icon } from '../icon.tsx';
import css from './fields.module.css';
import { Highlight } from './highlight.tsx';

/** Value of the "create new" option. No document can have this name. */
export const NEW = '\u0000new';

interface LinkOptionsProps {
  readonly target: string;
  readonly text: string;
  readonly found: readonly Found[];
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly canCreate: boolean;
}

/** The options of a picker. */
export function LinkOptions({ target, text, found, isLoading, error, canCreate }: LinkOptionsProps) {
  return (
    <Combobox.Options aria-label={t(target)} className={css['options']}>
      {found.map((one) => (
        <Combobox.Option value={one.value} key={one.value}>
          <span className={css['found']} dir="auto">
            <Highlight text={one.label ?? one.value} part={text} />
          </span>
          {detailOf(one) !== '' && (
            <span className={css['detail']} dir="auto">
              <Highlight text={detailOf(one)} part={text} />
            </span>
          )}
        </Combobox.Option>
      ))}
      {found.length === 0 && (
        <Combobox.Empty>
          {error === null ? (isLoading ? t('Searching…') : t('Nothing found')) : (messagesOf(error)[0] ?? '')}
        </Combobox.Empty>
      )}
      {canCreate && (
        <Combobox.Option value={NEW} className={css['new']}>
          <Icon name="plus" size={14} />
          {text.trim() === ''
            ? t('New {doctype}', { doctype: t(target) })
            : t('New {doctype} “{text}”', { doctype: t(target), text: text.trim() })}
        </Combobox.Option>
      )}
    </Combobox.Options>
  );
}

function detailOf({ value, label, description }: Found): string {
  return [label && label !== value ? value : '', description].filter(Boolean).join(' · ');
}
