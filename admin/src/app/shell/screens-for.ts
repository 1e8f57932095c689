import { t } from '../../base/i18n.ts';
import { paths } from '../../base/paths.ts';
import type { Boot, RightName } from '../../data/boot.ts';
import type { IconName } from '../../widgets/icon.tsx';

/** Groups of the sidebar: `main` without a heading above the records, the others below them. */
export type ScreenGroup = 'main' | 'integrations' | 'system';

export interface ScreenLink {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly group: ScreenGroup;
  /** A sequence of keys that works everywhere. */
  readonly keys?: string;
  /** A path whose other parts have no links of their own. */
  readonly covers?: string;
}

/**
 * Screens for this user, in the order of the sidebar: one line each. A screen of a doctype is left out if the
 * user may not read the doctype.
 */
export function screensFor({ doctypes, user }: Boot): readonly ScreenLink[] {
  const may = (doctype: string, right: RightName = 'read') =>
    doctypes.get(doctype)?.rights.has(right) ?? false;
  return [
    screen('main', paths.home(), t('Home'), 'home', true, 'g h'),
    screen('main', paths.files(), t('Files'), 'folder', may('File'), 'g f'),
    screen('main', paths.dashboards(), t('Dashboards'), 'chart', may('Dashboard', 'write')),
    screen('integrations', paths.webhooks(), t('Webhooks'), 'webhook', may('Webhook'), 'g w'),
    screen('integrations', paths.deliveries(), t('Deliveries'), 'send', may('Webhook Request Log'), 'g l'),
    screen('integrations', paths.api(), t('API'), 'code', true, 'g a'),
    screen('system', paths.doctypes(), t('Doctypes'), 'grid', true, 'g d'),
    screen('system', paths.users(), t('Users'), 'users', may('User', 'create'), 'g u'),
    screen('system', paths.list('Role'), t('Roles'), 'shield', may('Role', 'write')),
    screen('system', paths.permissions(), t('Permissions'), 'lock', may('Custom DocPerm'), 'g p'),
    screen('system', paths.system('health'), t('Monitoring'), 'activity', user?.isSystemManager ?? false).map(
      (monitoring) => ({ ...monitoring, covers: paths.system() }),
    ),
    screen('system', paths.system('audit'), t('Audit log'), 'history', may('Audit Log')),
    screen('system', paths.system('settings'), t('Settings'), 'settings', may('System Settings')),
  ].flat();
}

function screen(
  group: ScreenGroup,
  path: string,
  label: string,
  icon: IconName,
  isShown: boolean,
  keys?: string,
): readonly ScreenLink[] {
  return isShown ? [{ group, path, label, icon, ...(keys === undefined ? {} : { keys }) }] : [];
}
