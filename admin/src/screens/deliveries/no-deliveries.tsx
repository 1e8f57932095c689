import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { type DeliveryFilters, filterCount, filtersOf } from './delivery-filters.ts';

/** Empty state of the deliveries: none at all, or none that match. */
export function NoDeliveries({
  filters,
  isFixed,
  onClear,
}: {
  readonly filters: DeliveryFilters;
  readonly isFixed: boolean;
  readonly onClear: (filters: DeliveryFilters) => void;
}) {
  if (filterCount(filters) <= (isFixed ? 1 : 0))
    return (
      <EmptyState icon="send" title={t('No deliveries yet')}>
        {t('Deliveries appear here with the receiver’s response.')}
      </EmptyState>
    );
  const clear = () => onClear({ ...filtersOf({}), webhook: isFixed ? filters.webhook : '' });
  return (
    <EmptyState
      icon="filter"
      title={t('No matching deliveries')}
      action={<Button onClick={clear}>{t('Clear filters')}</Button>}
    >
      {t('Change or clear the filters above.')}
    </EmptyState>
  );
}
