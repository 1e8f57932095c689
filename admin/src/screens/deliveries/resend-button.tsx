import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { LOG } from '../../data/deliveries.ts';
import { countBulk } from '../../data/webhooks.ts';
import { Button } from '../../widgets/button.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { DeliveryFilters } from './delivery-filters.ts';
import { filtersNow } from './use-deliveries.ts';

/** Milliseconds between counts. */
const LOOK = 10_000;

/** Resends what was given up, with its number, while the list shows nothing else. */
export function ResendButton({ filters }: { readonly filters: DeliveryFilters }) {
  const [isOpen, setOpen] = useState(false);
  const isOn = filters.status.length === 1 && filters.status[0] === 'Exhausted';
  const { data: count = 0 } = useQuery({
    queryKey: ['list', LOG, 'resendable', filters],
    queryFn: ({ signal }) => countBulk({ kind: 'resend', filters: filtersNow(filters) }, signal),
    enabled: isOn,
    refetchInterval: LOOK,
    staleTime: 0,
  });
  return (
    <>
      {isOn && count > 0 && (
        <Button kind="primary" icon="send" onClick={() => setOpen(true)}>
          {t('Resend {count}', { count: formatNumber(count) })}
        </Button>
      )}
      {isOpen && (
        <BulkDialog
          action={{ kind: 'resend', filters: filtersNow(filters) }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
