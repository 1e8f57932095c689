import { t } from '../../base/i18n.ts';
import type { Condition } from '../../grid/list-filters.ts';
import type { ListSearch } from '../../grid/list-search.ts';
import { Button } from '../../widgets/button.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { describeCondition } from './describe-condition.ts';
import { type FilterField, fieldOf } from './filter-fields.ts';
import css from './list-screen.module.css';

export interface FilterChipsProps {
  readonly search: ListSearch;
  readonly fields: readonly FilterField[];
  readonly onChange: (changes: Partial<ListSearch>) => void;
  readonly onEdit: () => void;
}

/** Active filters as chips, to edit or remove. */
export function FilterChips({ search, fields, onChange, onEdit }: FilterChipsProps) {
  const { filters, or, text } = search;
  if (filters.length + or.length === 0 && text === '') return null;
  const chip = (which: 'filters' | 'or', condition: Condition, at: number) => (
    <Chip
      key={`${which}${at}`}
      text={describeCondition(condition, fieldOf(fields, condition))}
      onEdit={onEdit}
      onRemove={() => onChange({ [which]: search[which].filter((_, index) => index !== at) })}
    />
  );
  return (
    <ul className={css['chips']} aria-label={t('Filters')}>
      {text !== '' && (
        <Chip text={t('Contains “{text}”', { text })} onEdit={null} onRemove={() => onChange({ text: '' })} />
      )}
      {filters.map((one, at) => chip('filters', one, at))}
      {or.length > 0 && (
        <li className={css['either']}>
          <span className={css['word']}>{t('one of')}</span>
          <ul className={css['chips']} aria-label={t('Match any')}>
            {or.map((one, at) => chip('or', one, at))}
          </ul>
        </li>
      )}
      <li>
        <Button kind="quiet" onClick={() => onChange({ filters: [], or: [], text: '' })}>
          {t('Remove all filters')}
        </Button>
      </li>
    </ul>
  );
}

function Chip({
  text,
  onEdit,
  onRemove,
}: {
  readonly text: string;
  readonly onEdit: (() => void) | null;
  readonly onRemove: () => void;
}) {
  return (
    <li className={css['chip']}>
      {onEdit ? (
        <button type="button" className={css['chipText']} onClick={onEdit} title={text} dir="auto">
          {text}
        </button>
      ) : (
        <span className={css['chipText']} title={text} dir="auto">
          {text}
        </span>
      )}
      <button
        type="button"
        className={css['chipEnd']}
        onClick={onRemove}
        aria-label={t('Remove filter {text}', { text })}
      >
        <Icon name="close" size={12} />
      </button>
    </li>
  );
}
