import { type KeyboardEvent, useEffect, useRef } from 'react';
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
import type { Delivery } from '../../data/deliveries.ts';
import { Badge } from '../../widgets/feedback.tsx';
import { Truncate } from '../../widgets/layout.tsx';
import css from './deliveries.module.css';
import { eventWord, STATUS_TONES, statusWord } from './delivery-words.ts';

/** A page of deliveries. Click the first cell or press Enter to open a row; arrow keys move between rows. */
export function DeliveriesTable({
  rows,
  hasWebhook,
  opened,
  onOpen,
}: {
  readonly rows: readonly Delivery[];
  readonly hasWebhook: boolean;
  readonly opened: string | null;
  readonly onOpen: (name: string) => void;
}) {
  const fresh = useFresh(rows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard
    <section className={css['tableWrap']} aria-label={t('Deliveries')} tabIndex={0}>
      <table className={css['table']}>
        <thead>
          <tr>
            <th scope="col">{t('Time')}</th>
            {hasWebhook && (
              <th scope="col" className={css['middle']}>
                {t('Webhook')}
              </th>
            )}
            <th scope="col">{t('Document')}</th>
            <th scope="col" className={css['wide']}>
              {t('Event')}
            </th>
            <th scope="col">{t('Status')}</th>
            <th scope="col" className={css['number']}>
              {t('HTTP')}
            </th>
            <th scope="col" className={css['number']}>
              {t('ms')}
            </th>
            <th scope="col" className={`${css['number']} ${css['wide']}`}>
              {t('Attempts')}
            </th>
            <th scope="col" className={css['wide']}>
              {t('Next retry')}
            </th>
          </tr>
        </thead>
        <tbody onKeyDown={moveFocus}>
          {rows.map((row) => (
            <tr
              key={row.name}
              data-fresh={fresh.has(row.name) || undefined}
              data-open={row.name === opened || undefined}
              onClick={() => onOpen(row.name)}
            >
              <td>
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
              <td className={css['name']}>
                <Truncate text={`${row.reference_doctype} ${row.reference_document}`} />
              </td>
              <td className={css['wide']}>{eventWord(row.event)}</td>
              <td>
                <span className={css['states']}>
                  <Badge tone={STATUS_TONES[row.status]}>{statusWord(row.status)}</Badge>
                  {row.is_test === 1 && <Badge>{t('Test')}</Badge>}
                  {row.resend_of && <Badge>{t('Resent')}</Badge>}
                </span>
              </td>
              <td className={css['number']}>{row.response_status > 0 ? row.response_status : '–'}</td>
              <td className={css['number']}>
                {row.duration_ms === null ? '–' : formatNumber(row.duration_ms)}
              </td>
              <td className={`${css['number']} ${css['wide']}`}>{formatNumber(row.attempt)}</td>
              <td className={css['wide']}>{row.next_retry ? retryText(row.next_retry) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// A due delivery waits for a free worker or for a paused receiver.
function retryText(timestamp: string): string {
  return moment(timestamp) <= Date.now() ? t('Due') : formatRelative(timestamp);
}

// Deliveries of today show the time with seconds.
function shortTime(timestamp: string): string {
  const today = timestampOf(Date.now(), currentCustoms().userZone).slice(0, 10);
  const own = betweenZones(timestamp, currentCustoms().siteZone, currentCustoms().userZone);
  return own.startsWith(today) ? formatTime(own.slice(11, 19)) : formatDatetime(timestamp);
}

// Rows that are new since the last refresh. They are highlighted briefly.
function useFresh(rows: readonly Delivery[]): ReadonlySet<string> {
  const before = useRef<ReadonlySet<string> | null>(null);
  const known = before.current;
  useEffect(() => {
    before.current = new Set(rows.map(({ name }) => name));
  }, [rows]);
  return new Set(known ? rows.filter(({ name }) => !known.has(name)).map(({ name }) => name) : []);
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const openers = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(`.${css['opener']}`)];
  const at = openers.indexOf(document.activeElement as HTMLButtonElement);
  const next =
    event.key === 'Home'
      ? openers[0]
      : event.key === 'End'
        ? openers.at(-1)
        : step
          ? openers[at + step]
          : undefined;
  if (!next || at < 0) return;
  event.preventDefault();
  next.focus();
}
