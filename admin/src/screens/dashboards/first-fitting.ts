import { t } from '../../base/i18n.ts';
import type { DashboardEntry } from './dashboard-data.ts';

/**
 * The dashboards for the user's roles, in their order. System Managers see all of them in lists, but only their
 * own at home.
 */
export function fittingDashboards(
  all: readonly DashboardEntry[],
  roles: ReadonlySet<string>,
): readonly DashboardEntry[] {
  return all.filter((one) => one.roles.length === 0 || one.roles.some((role) => roles.has(role)));
}

/** Who sees a dashboard, in words. */
export function audienceOf({ roles }: Pick<DashboardEntry, 'roles'>): string {
  return roles.length === 0 ? t('Everybody') : roles.join(', ');
}
