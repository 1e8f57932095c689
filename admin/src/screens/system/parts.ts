import type { ComponentType } from 'react';
import { loadTexts } from '../../base/catalogues.ts';
import { t } from '../../base/i18n.ts';
import type { Boot } from '../../data/boot.ts';
import { may } from '../../meta/permissions.ts';

/** A part of the screen, with its address `/system/<id>`. */
export interface Part {
  readonly id: string;
  readonly label: string;
  readonly load: () => Promise<ComponentType>;
}

// Stable functions: a new one would load the part again.
const LOADS = {
  health: () => import('./health-part.tsx').then(({ HealthPart }) => HealthPart),
  jobs: () => import('./jobs-part.tsx').then(({ JobsPart }) => JobsPart),
  settings: async () => {
    const [{ SettingsPart }] = await Promise.all([import('./settings-part.tsx'), loadTexts('settings')]);
    return SettingsPart;
  },
  audit: () => import('./audit-part.tsx').then(({ AuditPart }) => AuditPart),
  'sign-ins': () => import('./sign-ins-part.tsx').then(({ SignInsPart }) => SignInsPart),
  queries: () => import('./queries-part.tsx').then(({ QueriesPart }) => QueriesPart),
  errors: () => import('./errors-part.tsx').then(({ ErrorsPart }) => ErrorsPart),
} as const;

/** The parts that this user may see: Auditors see the audit log and the sign-ins alone. */
export function partsFor({ user }: Boot): readonly Part[] {
  const isManager = user?.isSystemManager ?? false;
  const reads = may('Audit Log', 'read');
  const part = (id: keyof typeof LOADS, label: string, isShown: boolean): readonly Part[] =>
    isShown ? [{ id, label, load: LOADS[id] }] : [];
  return [
    ...part('health', t('Health'), isManager),
    ...part('jobs', t('Jobs'), isManager),
    ...part('settings', t('Settings'), isManager && may('System Settings', 'read')),
    ...part('audit', t('Audit log'), reads),
    ...part('sign-ins', t('Sign-ins'), reads),
    ...part('queries', t('Slow queries'), isManager),
    ...part('errors', t('Errors'), isManager),
  ];
}
