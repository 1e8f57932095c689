import type { Config } from './config.ts';
import { LIVE_SETTINGS, type LiveSettings } from './live-settings.ts';
import { presentConfig, type SettingSources } from './load-config.ts';
import { valueAt } from './setting.ts';
import { type DECLARED, SETTINGS } from './settings.ts';

/** The groups in which administrators see all settings. */
export const SECTIONS = [
  'server',
  'access',
  'files',
  'lists',
  'webhooks',
  'retention',
  'limits',
  'mail',
] as const;

export type Section = (typeof SECTIONS)[number];

/** A setting as administrators see it. Secrets are masked. */
export interface DescribedSetting {
  /** Its path in the configuration; a setting of System Settings alone has its field's name. */
  readonly name: string;
  readonly section: Section;
  /** One line; null where the field's label and description say it all. */
  readonly help: string | null;
  /** The value in force, and the value without any source. */
  readonly value: unknown;
  readonly default: unknown;
  readonly unit: 'bytes' | 'milliseconds' | 'seconds' | null;
  readonly source: 'default' | 'file' | 'environment' | 'flag' | 'stored';
  /** Its names in the other sources; null in a setting of System Settings alone. */
  readonly variable: string | null;
  readonly flag: string | null;
  /** The field of System Settings that changes it while the server runs; null: it needs a restart. */
  readonly field: string | null;
}

/** By the first part of the path. */
const SECTION_OF: Readonly<Record<keyof typeof DECLARED, Section>> = {
  port: 'server',
  host: 'server',
  workers: 'server',
  role: 'server',
  trustProxy: 'server',
  data: 'server',
  database: 'server',
  databaseListenUrl: 'server',
  databaseReplicas: 'server',
  databaseReplicaStaleness: 'server',
  databaseConnections: 'server',
  databaseLogBytes: 'server',
  files: 'files',
  apps: 'server',
  timeZone: 'server',
  timestampPrecision: 'lists',
  adminPassword: 'access',
  adminApiKey: 'access',
  secretKey: 'access',
  secretKeysOld: 'access',
  uploads: 'files',
  quarantine: 'files',
  backup: 'server',
  downloads: 'files',
  lists: 'lists',
  webhooks: 'webhooks',
  signIn: 'access',
  history: 'retention',
  auditDays: 'retention',
  rateLimits: 'limits',
  admission: 'limits',
  shutdown: 'server',
  siteUrl: 'server',
  mail: 'mail',
  metrics: 'server',
  telemetry: 'server',
  allowCors: 'access',
  adminUi: 'server',
  logRequests: 'server',
  logSlowRequests: 'server',
  logLevel: 'server',
  logFormat: 'server',
};

/** Settings of System Settings alone that are not about access. */
const OWN_SECTION: Readonly<Record<string, Section>> = {
  currency: 'lists',
  allowed_file_extensions: 'files',
  allow_guests_to_upload_files: 'files',
  allowed_doctypes_for_guest_uploads: 'files',
};

/** Every setting with the value in force and its source, in the order of the declarations. */
export function describeSettings(
  config: Config,
  sources: SettingSources,
  settings: LiveSettings,
  given: ReadonlySet<keyof LiveSettings>,
): readonly DescribedSetting[] {
  const shown = presentConfig(config);
  const live = new Map(LIVE_SETTINGS.map((one) => [one.path ?? one.fieldname, one]));
  const declared = SETTINGS.map((setting): DescribedSetting => {
    const { path, help, secret, variable } = setting;
    const field = live.get(path);
    const isStored = field !== undefined && given.has(field.name);
    return {
      name: path,
      section: SECTION_OF[path.split('.', 1)[0] as keyof typeof DECLARED],
      help,
      value: isStored ? plain(settings[field.name]) : valueAt(shown, path),
      default: setting.unset ?? (secret ? null : setting.default),
      unit: (/(?:^|\bin )(bytes|milliseconds|seconds)\b/.exec(help)?.[1] as DescribedSetting['unit']) ?? null,
      source: isStored ? 'stored' : (sources.get(path) ?? 'default'),
      variable,
      flag: setting.flag ?? setting.offFlag?.name ?? null,
      field: field?.fieldname ?? null,
    };
  });
  const told = new Set(declared.map(({ field }) => field));
  const own = LIVE_SETTINGS.filter(({ path, fieldname }) => path === null && !told.has(fieldname)).map(
    ({ name, fieldname, unit, usual }): DescribedSetting => ({
      name: fieldname,
      section: OWN_SECTION[fieldname] ?? 'access',
      help: null,
      value: plain(settings[name]),
      default: plain(usual),
      unit,
      source: given.has(name) ? 'stored' : 'default',
      variable: null,
      flag: null,
      field: fieldname,
    }),
  );
  return [...declared, ...own];
}

function plain(value: unknown): unknown {
  return value instanceof Set ? [...value] : value;
}
