import { t } from '../../base/i18n.ts';
import { type DeliveryState, STATES } from '../../data/deliveries.ts';
import { Button } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import type { DeliveryFilters } from './delivery-filters.ts';
import { statusWord } from './delivery-words.ts';

/** Chooses the states of the deliveries shown. */
export function StatusMenu({
  filters,
  set,
}: {
  readonly filters: DeliveryFilters;
  readonly set: (changes: Partial<DeliveryFilters>) => void;
}) {
  const { status } = filters;
  const toggle = (one: DeliveryState) =>
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
      items={STATES.map((one) => ({
        label: statusWord(one),
        isChecked: status.includes(one),
        run: () => toggle(one),
      }))}
    />
  );
}
