import { t } from '../../base/i18n.ts';
import { paths } from '../../base/paths.ts';
import type { Boot } from '../../data/boot.ts';
import type { IconName } from '../../widgets/icon.tsx';

export interface ScreenLink {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** A sequence of keys that works everywhere. */
  readonly keys: string;
}

/** Screens for this user. Screens of doctypes that the user may not read are left out. */
export function screensFor({ doctypes }: Boot): readonly ScreenLink[] {
  const reads = (doctype: string) => doctypes.get(doctype)?.rights.has('read') ?? false;
  return [
    { path: paths.home(), label: t('Home'), icon: 'home', keys: 'g h' },
    { path: paths.doctypes(), label: t('Doctypes'), icon: 'grid', keys: 'g d' },
    ...(reads('File')
      ? [{ path: paths.files(), label: t('Files'), icon: 'folder', keys: 'g f' } as const]
      : []),
    ...(reads('Webhook')
      ? [{ path: paths.webhooks(), label: t('Webhooks'), icon: 'webhook', keys: 'g w' } as const]
      : []),
    ...(reads('Webhook Request Log')
      ? [{ path: paths.deliveries(), label: t('Deliveries'), icon: 'send', keys: 'g l' } as const]
      : []),
    ...(doctypes.get('User')?.rights.has('create')
      ? [{ path: paths.users(), label: t('Users'), icon: 'users', keys: 'g u' } as const]
      : []),
  ];
}
