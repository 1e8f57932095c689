import { formatNumber, formatRelative } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { siteSlots } from '../../charts/delivery-charts.tsx';
import { alongSlots, type Slot } from '../../charts/spans.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import type { WebhookOverview } from '../../data/webhooks.ts';
import { Hidden, Muted, Truncate } from '../../widgets/layout.tsx';
import { Table, type TableColumn } from '../../widgets/table.tsx';
import { clockText } from '../deliveries/delivery-row.tsx';
import { eventWord } from '../deliveries/delivery-words.ts';
import { errorWords } from '../deliveries/error-words.ts';
import { EnabledSwitch } from './enabled-switch.tsx';
import { millisText } from './figure-tiles.tsx';
import type { Hook } from './hook.ts';
import { successOf } from './success.ts';
import css from './webhooks.module.css';

/** Webhooks with their figures of the last day. */
export function HookTable({
  hooks,
  figures,
}: {
  readonly hooks: readonly Hook[];
  readonly figures: ReadonlyMap<string, WebhookOverview>;
}) {
  const slots = siteSlots('hour', 23);
  return (
    <Table
      isStacked
      label={t('Webhooks')}
      rows={hooks}
      rowKey={({ name }) => name}
      columns={[...ownColumns(), ...figureColumns(slots, figures)]}
    />
  );
}

function ownColumns(): readonly TableColumn<Hook>[] {
  return [
    {
      id: 'enabled',
      label: <Hidden>{t('Enabled')}</Hidden>,
      cell: (hook) => <EnabledSwitch hook={hook} />,
    },
    {
      id: 'name',
      label: t('Name'),
      isHeader: true,
      cell: ({ name, request_url: url }) => (
        <div className={css['hookName']}>
          <PathLink to={paths.webhook(name)}>
            <Truncate text={name} />
          </PathLink>
          <Muted isSmall>
            <Truncate text={hostOf(url)} />
          </Muted>
        </div>
      ),
    },
    {
      id: 'event',
      label: t('Event'),
      cell: (hook) => `${hook.webhook_doctype} · ${eventWord(hook.webhook_docevent)}`,
    },
  ];
}

function figureColumns(
  slots: readonly Slot[],
  figures: ReadonlyMap<string, WebhookOverview>,
): readonly TableColumn<Hook>[] {
  return [
    {
      id: 'spark',
      label: t('24 hours'),
      cell: ({ name }) => <Day slots={slots} known={figures.get(name)} />,
    },
    {
      id: 'success',
      label: t('Success'),
      isNumber: true,
      cell: ({ name }) => <SuccessCell known={figures.get(name)} />,
    },
    {
      id: 'p95',
      label: 'p95',
      isNumber: true,
      cell: ({ name }) => millisText(figures.get(name)?.p95_ms ?? null),
    },
    {
      id: 'error',
      label: t('Last error'),
      cell: ({ name }) => <LastError known={figures.get(name)} />,
    },
  ];
}

type Known = { readonly known: WebhookOverview | undefined };

function Day({ slots, known }: Known & { readonly slots: readonly Slot[] }) {
  const values = alongSlots(
    slots,
    known?.by_hour ?? [],
    ({ hour }) => hour,
    ({ deliveries, failed }) => ({ all: deliveries, failed }),
    { all: 0, failed: 0 },
  );
  const failed = values.reduce((sum, one) => sum + one.failed, 0);
  const label = t('{count} deliveries, {failed} of them failed', {
    count: formatNumber(known?.deliveries ?? 0),
    failed: formatNumber(failed),
  });
  return <Sparkline values={values} label={label} />;
}

function SuccessCell({ known }: Known) {
  if (!known) return '–';
  const { text, note, tone } = successOf(known);
  return (
    <span className={css['success']} data-tone={tone} title={note}>
      {text}
    </span>
  );
}

function LastError({ known }: Known) {
  if (!known?.last_error) return <Muted>–</Muted>;
  return (
    <div className={css['lastError']}>
      <Truncate text={errorWords(known.last_error)} />
      <Muted isSmall>
        {known.last_error_at ? formatRelative(known.last_error_at) : ''}
        {known.resting_until && (
          <span className={css['resting']}>
            {t('next probe {time}', { time: clockText(known.resting_until) })}
          </span>
        )}
      </Muted>
    </div>
  );
}

// In a template, only the part before the first placeholder is a URL.
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
