import { useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { MOST_ROWS } from '../../grid/list-extent.ts';
import type { ListStatus } from '../../grid/list-grid-props.ts';
import { Button } from '../../widgets/button.tsx';
import css from './list-screen.module.css';

export interface ListFooterProps {
  readonly status: ListStatus;
  readonly onCount: () => Promise<unknown>;
  /** Counted from 0. */
  readonly onGoTo: (row: number) => void;
}

/** Visible range, row count, and "Go to row". */
export function ListFooter({ status, onCount, onGoTo }: ListFooterProps) {
  const { first, last, extent } = status;
  const [isCounting, setCounting] = useState(false);
  const count = async () => {
    setCounting(true);
    await onCount().finally(() => setCounting(false));
  };
  return (
    <footer className={css['footer']}>
      {first > 0 && (
        <span data-range>
          {t('{first}–{last} of {total}', {
            first: formatNumber(first),
            last: formatNumber(last),
            total: `${formatNumber(extent.rows)}${extent.isExact ? '' : '+'}`,
          })}
        </span>
      )}
      {!extent.isExact && extent.rows > 0 && (
        <Button kind="quiet" isBusy={isCounting} onClick={() => void count()}>
          {t('Exact count')}
        </Button>
      )}
      {extent.rows > MOST_ROWS && (
        <span>
          {t('The list shows the first {count}. Filter to see others', {
            count: formatNumber(MOST_ROWS),
          })}
        </span>
      )}
      {extent.rows > 100 && <GoTo onGoTo={onGoTo} />}
    </footer>
  );
}

function GoTo({ onGoTo }: { readonly onGoTo: (row: number) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      className={css['goTo']}
      onSubmit={(event) => {
        event.preventDefault();
        const row = Number(text);
        if (Number.isInteger(row) && row > 0) onGoTo(row - 1);
      }}
    >
      <label>
        {t('Go to row')}
        <input
          className={css['rowInput']}
          inputMode="numeric"
          pattern="[0-9]*"
          value={text}
          onChange={(event) => setText(event.currentTarget.value.replace(/\D/g, '').slice(0, 9))}
        />
      </label>
    </form>
  );
}
