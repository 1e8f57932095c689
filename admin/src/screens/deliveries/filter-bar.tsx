import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Row } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './deliveries.module.css';
import {
  ANSWERS,
  type Answer,
  type DeliveryFilters,
  filterCount,
  filtersOf,
  type Span,
} from './delivery-filters.ts';
import { DocumentInput } from './document-input.tsx';
import { StatusMenu } from './status-menu.tsx';
import { WebhookSelect } from './webhook-select.tsx';

/** Filters of the deliveries list, stored in the address. */
export function FilterBar({
  filters,
  hasWebhook,
  onChange,
}: {
  readonly filters: DeliveryFilters;
  readonly hasWebhook: boolean;
  readonly onChange: (filters: DeliveryFilters) => void;
}) {
  const set = (changes: Partial<DeliveryFilters>) => onChange({ ...filters, ...changes });
  const isSet = filterCount(filters) > (hasWebhook ? 0 : 1);
  return (
    <search className={css['filters']} aria-label={t('Filters')}>
      <Row>
        <StatusMenu filters={filters} set={set} />
        {hasWebhook && <WebhookSelect value={filters.webhook} onChange={(webhook) => set({ webhook })} />}
        <DocumentInput
          key={filters.document}
          value={filters.document}
          onChange={(document) => set({ document })}
        />
        <Select
          className={css['filter']}
          aria-label={t('Response')}
          placeholder={t('Any response')}
          value={filters.http}
          isClearable
          onChange={(http) => set({ http: http as Answer | null })}
          choices={ANSWERS.map((value) => ({ value, label: value === 'none' ? t('No response') : value }))}
        />
        <Select
          className={css['filter']}
          aria-label={t('Time')}
          placeholder={t('Any time')}
          value={filters.span}
          isClearable
          onChange={(span) => set({ span: span as Span | null })}
          choices={spanChoices()}
        />
        <Select
          className={css['filter']}
          aria-label={t('Attempts')}
          placeholder={t('Any attempts')}
          value={filters.attempts > 0 ? String(filters.attempts) : null}
          isClearable
          onChange={(least) => set({ attempts: Number(least ?? 0) })}
          choices={attemptChoices(filters.attempts)}
        />
        {isSet && (
          <Button
            kind="quiet"
            icon="close"
            onClick={() => onChange({ ...filtersOf({}), webhook: hasWebhook ? '' : filters.webhook })}
          >
            {t('Clear filters')}
          </Button>
        )}
      </Row>
    </search>
  );
}

/** Options for the time span. */
export function spanChoices(): readonly { readonly value: Span; readonly label: string }[] {
  return [
    { value: '1h', label: t('Last hour') },
    { value: '24h', label: t('Last 24 hours') },
    { value: '7d', label: t('Last 7 days') },
    { value: '30d', label: t('Last 30 days') },
  ];
}

function attemptChoices(stated: number): readonly { readonly value: string; readonly label: string }[] {
  const counts = [...new Set([2, 3, 5, 10, ...(stated > 0 ? [stated] : [])])].toSorted((a, b) => a - b);
  return counts.map((count) => ({ value: String(count), label: t('{count} attempts or more', { count }) }));
}
