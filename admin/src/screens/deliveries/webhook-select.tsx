import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { listRows } from '../../data/documents.ts';
import { may } from '../../meta/permissions.ts';
import { Select } from '../../widgets/select.tsx';
import css from './deliveries.module.css';

/** Chooses the webhook of the deliveries shown. */
export function WebhookSelect({
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
