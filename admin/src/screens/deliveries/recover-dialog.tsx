import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { currentCustoms } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { timestampOf } from '../../base/time-zone.ts';
import { listRows } from '../../data/documents.ts';
import { Modal } from '../../widgets/dialogs.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { BulkRun } from './bulk-dialog.tsx';
import { SPANS, type Span } from './delivery-filters.ts';
import { spanChoices } from './filter-bar.tsx';

/**
 * Sends all failed deliveries of a webhook since a given time again, for example after an outage of the
 * receiver.
 */
export function RecoverDialog({
  webhook,
  onClose,
}: {
  readonly webhook: string;
  readonly onClose: () => void;
}) {
  const [chosen, setChosen] = useState(webhook);
  const [span, setSpan] = useState<Span>('24h');
  const [opened] = useState(Date.now);
  const { data = [] } = useQuery({
    queryKey: ['list', 'Webhook', 'names'],
    queryFn: ({ signal }) =>
      listRows<{ name: string }>(
        'Webhook',
        { fields: ['name'], order_by: 'name asc', limit_page_length: 500 },
        { signal },
      ),
  });
  const since = timestampOf(opened - SPANS[span] * 3_600_000, currentCustoms().siteZone);
  return (
    <Modal isOpen onClose={onClose} title={t('Recover failed deliveries')} isSticky>
      <Stack>
        <Muted>{t('Resends all failed deliveries of this period, except those delivered since.')}</Muted>
        <Select
          label={t('Webhook')}
          value={chosen || null}
          isRequired
          isSearchable
          onChange={(next) => setChosen(next ?? '')}
          choices={[...new Set([...data.map(({ name }) => name), ...(chosen === '' ? [] : [chosen])])]}
        />
        <Select
          label={t('Time')}
          value={span}
          onChange={(next) => next && setSpan(next as Span)}
          choices={spanChoices()}
        />
        {chosen !== '' && (
          <BulkRun
            key={`${chosen} ${since}`}
            action={{ kind: 'recover', webhook: chosen, since }}
            onClose={onClose}
          />
        )}
      </Stack>
    </Modal>
  );
}
