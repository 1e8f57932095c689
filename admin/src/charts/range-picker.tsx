import { t } from '../base/i18n.ts';
import { useSearch, useSetSearch } from '../base/navigation.tsx';
import { SegmentedControl } from '../widgets/segmented-control.tsx';
import { type RangeName, rangeChoices, rangeOf } from './delivery-charts.tsx';

/** The range named in the address. */
export function useRange(): RangeName {
  return rangeOf(useSearch((search) => search['range']));
}

/** Chooses the range of figures and charts. The address stores it. */
export function RangePicker() {
  const range = useRange();
  const setSearch = useSetSearch();
  return (
    <SegmentedControl
      label={t('Time')}
      value={range}
      onChange={(next) => setSearch({ range: next })}
      choices={rangeChoices()}
    />
  );
}
