import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { STATUSES } from '../../data/deliveries.ts';
import { listRows } from '../../data/documents.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row } from '../../widgets/layout.tsx';
import { Menu } from '../../widgets/menu.tsx';
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
import { statusWord } from './delivery-words.ts';

const TYPING = 300;

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

function StatusMenu({
  filters,
  set,
}: {
  readonly filters: DeliveryFilters;
  readonly set: (changes: Partial<DeliveryFilters>) => void;
}) {
  const { status } = filters;
  const toggle = (one: (typeof STATUSES)[number]) =>
    set({ status: status.includes(one) ? status.filter((other) => other !== one) : [...status, one] });
  const label = status.length === 0 ? t('Any status') : status.map(statusWord).join(', ');
  return (
    <Menu
      position="bottom-start"
      label={t('Status')}
      target={
        <Button endIcon="down" aria-label={t('Status: {chosen}', { chosen: label })}>
          {label}
        </Button>
      }
      items={STATUSES.map((one) => ({
        label: statusWord(one),
        isChecked: status.includes(one),
        run: () => toggle(one),
      }))}
    />
  );
}

function attemptChoices(stated: number): readonly { readonly value: string; readonly label: string }[] {
  const counts = [...new Set([2, 3, 5, 10, ...(stated > 0 ? [stated] : [])])].toSorted((a, b) => a - b);
  return counts.map((count) => ({ value: String(count), label: t('{count} attempts or more', { count }) }));
}

function WebhookSelect({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { data = [] } = useQuery({
    queryKey: ['list', 'Webhook', 'names'],
    enabled: may('Webhook', 'read'),
    queryFn: ({ signal }) =>
      listRows<{ name: string }>(
        'Webhook',
        { fields: ['name'], order_by: 'name asc', limit_page_length: 500 },
        { signal },
      ),
  });
  const names = new Set([...data.map(({ name }) => name), ...(value === '' ? [] : [value])]);
  return (
    <Select
      className={css['filter']}
      aria-label={t('Webhook')}
      placeholder={t('Any webhook')}
      value={value || null}
      isClearable
      isSearchable
      onChange={(webhook) => onChange(webhook ?? '')}
      choices={[...names]}
    />
  );
}

// Updates the address after a pause in typing.
function DocumentInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextInput
      className={css['filter']}
      type="search"
      aria-label={t('Document')}
      placeholder={t('Document…')}
      start={<Icon name="search" />}
      value={typed}
      onChange={setTyped}
    />
  );
}
