import { formatNumber } from '../base/format.ts';
import { t } from '../base/i18n.ts';
import type { Count } from './documents.ts';

/** A count as a text: exact, estimated or with a "+". */
export function countWords({ count, isCapped, estimate }: Count): string {
  if (!isCapped) return formatNumber(count);
  if (estimate === null) return `${formatNumber(count)}+`;
  return t('about {count}', { count: formatNumber(rounded(estimate)) });
}

/** More digits would look exact. */
function rounded(estimate: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(estimate)) - 1);
  return Math.round(estimate / unit) * unit;
}
