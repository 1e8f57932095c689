import type { KeyboardEvent } from 'react';
import { t } from '../../base/i18n.ts';
import type { Delivery } from '../../data/deliveries.ts';
import css from './deliveries.module.css';
import { DeliveryRow } from './delivery-row.tsx';
import { useFresh } from './use-fresh.ts';

/** A page of deliveries. Click the first cell or press Enter to open a row; arrow keys move between rows. */
export function DeliveriesTable({
  rows,
  hasWebhook,
  rests,
  opened,
  onOpen,
}: {
  readonly rows: readonly Delivery[];
  readonly hasWebhook: boolean;
  /** When the receivers that rest get their next attempt, by webhook. */
  readonly rests: ReadonlyMap<string, string>;
  readonly opened: string | null;
  readonly onOpen: (name: string) => void;
}) {
  const fresh = useFresh(rows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard
    <section className={css['tableWrap']} aria-label={t('Deliveries')} tabIndex={0}>
      <table className={css['table']}>
        <Head hasWebhook={hasWebhook} />
        <tbody onKeyDown={moveFocus}>
          {rows.map((row) => (
            <DeliveryRow
              key={row.name}
              row={row}
              hasWebhook={hasWebhook}
              isFresh={fresh.has(row.name)}
              isOpen={row.name === opened}
              rest={rests.get(row.webhook)}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head({ hasWebhook }: { readonly hasWebhook: boolean }) {
  const columns = [
    { label: t('Time') },
    ...(hasWebhook ? [{ label: t('Webhook'), className: css['middle'] }] : []),
    { label: t('Document') },
    { label: t('Event'), className: css['wide'] },
    { label: t('Status') },
    { label: t('HTTP'), className: css['number'] },
    { label: t('ms'), className: `${css['number']} ${css['wide']}` },
    { label: t('Attempts'), className: `${css['number']} ${css['wide']}` },
    { label: t('Error') },
  ];
  return (
    <thead>
      <tr>
        {columns.map(({ label, className }) => (
          <th key={label} scope="col" className={className}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
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
