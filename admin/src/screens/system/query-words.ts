import { t } from '../../base/i18n.ts';
import type { SlowQuery } from '../../data/system.ts';

/** The shape of a query in words. */
export function queryText({ what, equal, range, other, order }: SlowQuery): string {
  const parts = [
    equal.length > 0 && t('{fields} equal to a value', { fields: equal.join(', ') }),
    range.length > 0 && t('{fields} within a range', { fields: range.join(', ') }),
    other.length > 0 && t('{fields} matched in another way', { fields: other.join(', ') }),
  ].filter((part) => part !== false);
  const kind = what === 'count' ? t('Count') : t('List');
  const where = parts.length === 0 ? t('all records') : parts.join('; ');
  const sorted = order.length === 0 ? '' : ` · ${t('ordered by {fields}', { fields: order.join(', ') })}`;
  return `${kind}: ${where}${sorted}`;
}
