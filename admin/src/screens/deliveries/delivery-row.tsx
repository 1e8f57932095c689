import {
  currentCustoms,
  formatDatetime,
  formatNumber,
  formatRelative,
  formatTime,
  moment,
} from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { betweenZones, timestampOf } from '../../base/time-zone.ts';
import { type Delivery, isWaiting } from '../../data/deliveries.ts';
import { Truncate } from '../../widgets/layout.tsx';
import css from './deliveries.module.css';
import { DeliveryBadges } from './delivery-state.tsx';
import { eventWord } from './delivery-words.ts';
import { errorWords } from './error-words.ts';

/** A delivery of the table. On a narrow screen, its cells stand in three lines. */
export function DeliveryRow({
  row,
  hasWebhook,
  isFresh,
  isOpen,
  rest,
  onOpen,
}: {
  readonly row: Delivery;
  readonly hasWebhook: boolean;
  readonly isFresh: boolean;
  readonly isOpen: boolean;
  /** When the resting receiver gets its next attempt. */
  readonly rest: string | undefined;
  readonly onOpen: (name: string) => void;
}) {
  return (
    <tr data-fresh={isFresh || undefined} data-open={isOpen || undefined} onClick={() => onOpen(row.name)}>
      <td className={css['time']}>
        <button
          type="button"
          className={css['opener']}
          title={formatDatetime(row.creation, 'full')}
          aria-haspopup="dialog"
          onClick={(event) => {
            event.stopPropagation();
            onOpen(row.name);
          }}
        >
          {shortTime(row.creation)}
        </button>
      </td>
      {hasWebhook && (
        <td className={`${css['name']} ${css['middle']}`}>
          <Truncate text={row.webhook} />
        </td>
      )}
      <td className={css['document']}>
        <Truncate text={`${row.reference_doctype} ${row.reference_document}`} />
      </td>
      <td className={css['wide']}>{eventWord(row.event)}</td>
      <td className={css['status']}>
        <DeliveryBadges delivery={row} />
      </td>
      <Figures row={row} />
      <td className={css['outcome']}>
        <Outcome row={row} rest={rest} />
      </td>
    </tr>
  );
}

function Figures({ row }: { readonly row: Delivery }) {
  return (
    <>
      <td className={`${css['number']} ${css['http']}`} data-known={row.response_status > 0 || undefined}>
        {row.response_status > 0 ? row.response_status : '–'}
      </td>
      <td className={`${css['number']} ${css['wide']}`}>
        {row.duration_ms === null ? '–' : formatNumber(row.duration_ms)}
      </td>
      <td className={`${css['number']} ${css['wide']}`}>{formatNumber(row.attempt)}</td>
    </>
  );
}

// What went wrong, and when the next attempt begins.
function Outcome({ row, rest }: { readonly row: Delivery; readonly rest: string | undefined }) {
  const next = nextText(row, rest);
  if (row.error === null && next === '') return null;
  // Apart, so that a long error is cut off and the time is not, and that each reads in its own direction.
  return (
    <span className={css['line']}>
      {row.error !== null && (
        <Truncate text={errorWords(row.error)} className={isWaiting(row) ? '' : css['failed']} />
      )}
      {next !== '' && <span className={css['next']}>{next}</span>}
    </span>
  );
}

// A due delivery waits for a free worker, or for the next probe of a receiver that rests.
function nextText(row: Delivery, rest: string | undefined): string {
  if (!isWaiting(row) || row.status === 'Held') return '';
  if (rest !== undefined) return t('next probe {time}', { time: clockText(rest) });
  if (row.next_retry === null) return '';
  if (moment(row.next_retry) <= Date.now()) return t('Due');
  return t('next attempt {when}', { when: formatRelative(row.next_retry) });
}

/** The time of a moment that is near, with seconds. */
export function clockText(timestamp: string): string {
  const own = betweenZones(timestamp, currentCustoms().siteZone, currentCustoms().userZone);
  return formatTime(own.slice(11, 19));
}

// Deliveries of today show the time with seconds.
function shortTime(timestamp: string): string {
  const today = timestampOf(Date.now(), currentCustoms().userZone).slice(0, 10);
  const own = betweenZones(timestamp, currentCustoms().siteZone, currentCustoms().userZone);
  return own.startsWith(today) ? formatTime(own.slice(11, 19)) : formatDatetime(timestamp);
}
