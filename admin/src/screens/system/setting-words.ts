import { formatBytes, formatDuration, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { Setting } from '../../data/system.ts';
import { SETTING_HELPS } from './setting-helps.ts';
import { SETTING_LABELS } from './setting-labels.ts';

/** The sections of the settings, in order. */
export function sectionWords(): readonly { readonly id: string; readonly label: string }[] {
  return [
    { id: 'server', label: t('Server') },
    { id: 'access', label: t('Access') },
    { id: 'files', label: t('Files') },
    { id: 'lists', label: t('Lists') },
    { id: 'webhooks', label: t('Webhooks') },
    { id: 'retention', label: t('Retention') },
    { id: 'limits', label: t('Limits') },
    { id: 'mail', label: t('Mail') },
  ];
}

/** The name of a setting. */
export function settingLabel({ name, field }: Pick<Setting, 'name' | 'field'>): string {
  const known = SETTING_LABELS[name];
  if (known) return known();
  const words = field ? t(field.label) : name.slice(name.lastIndexOf('.') + 1).replaceAll(/([A-Z])/g, ' $1');
  return sentence(words.replaceAll(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase()));
}

/** What a setting does. */
export function settingHelp({ name, help, field }: Setting): string {
  return SETTING_HELPS[name]?.() ?? sentence(t(field?.description || help || ''));
}

/** The text with a capital letter at its beginning. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What 0 means. */
const NOTHING: Readonly<Record<string, () => string>> = {
  'uploads.perUserBytes': () => t('No limit'),
  'webhooks.logDays': () => t('For ever'),
  'webhooks.logBytes': () => t('No limit'),
  'webhooks.disableAfter': () => t('Never'),
  'history.versionDays': () => t('For ever'),
  'history.deletedDays': () => t('For ever'),
  'history.activityDays': () => t('For ever'),
  auditDays: () => t('For ever'),
  'rateLimits.perKey': () => t('No limit'),
  'rateLimits.perUser': () => t('No limit'),
  'rateLimits.perAddress': () => t('No limit'),
  'rateLimits.logins': () => t('No limit'),
  'rateLimits.uploads': () => t('No limit'),
  'admission.lateness': () => t('Never'),
};

/** A value as people read it; null for none. */
export function valueText(value: unknown, { name, unit }: Pick<Setting, 'name' | 'unit'>): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (value === 0 && name in NOTHING) return NOTHING[name]?.() ?? null;
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(String).join(', ');
  if (typeof value !== 'number') return String(value);
  if (unit === 'bytes' && value > 0) return formatBytes(value);
  if (unit === 'seconds' && value > 0) return formatDuration(value);
  if (unit === 'milliseconds' && value > 0)
    return value % 1000 === 0
      ? formatDuration(value / 1000)
      : t('{count} ms', { count: formatNumber(value) });
  // The number of a port has no thousands.
  return name === 'port' ? String(value) : formatNumber(value);
}

/** Where a value comes from. */
export function sourceText({ source, variable, flag }: Setting): string {
  if (source === 'stored') return t('Set here');
  if (source === 'file') return t('Configuration file');
  if (source === 'environment') return t('Environment: {name}', { name: variable ?? '' });
  if (source === 'flag') return t('Command line: --{name}', { name: flag ?? '' });
  return t('Default');
}
