import { LIMITS } from '../kernel/limits.ts';
import type { FieldValue } from '../kernel/value.ts';
import { type Config, DEFAULT_CONFIG } from './config.ts';
import { type NamedSetting, valueAt } from './setting.ts';
import { DECLARED } from './settings.ts';

/** A setting that can change while the site runs. */
interface LiveSetting<T> {
  /** Its field of System Settings. */
  readonly fieldname: string;
  /** Its path in the configuration; null for a setting of System Settings alone. */
  readonly path: string | null;
  /** The unit of a duration. */
  readonly unit: 'milliseconds' | null;
  /** The value while the field is empty. */
  readonly from: (config: Config) => T;
  /** Reads the field, which is not empty. Throws an Error that states the expected value. */
  readonly read: (value: string | number) => T;
}

/** All live settings: those of the configuration with a `live` field, and those of System Settings alone. */
const LIVE = {
  timestampPrecision: over(DECLARED.timestampPrecision),
  maxPageLength: over(DECLARED.lists.maxPageLength),
  slowAfter: over(DECLARED.lists.slowAfter),
  maxFileBytes: over(DECLARED.uploads.maxBytes),
  privateUploads: over(DECLARED.uploads.defaultPrivate),
  /** The administrator says expressly that uploads are public: user interfaces suggest it, too. */
  publicUploads: own('private_uploads', false, (value) => value === 'No'),
  userFileBytes: over(DECLARED.uploads.perUserBytes),
  stripMetadata: over(DECLARED.uploads.stripMetadata),
  webhookRetries: over(DECLARED.webhooks.maxRetries),
  webhookLogDays: over(DECLARED.webhooks.logDays),
  versionDays: over(DECLARED.history.versionDays),
  deletedDays: over(DECLARED.history.deletedDays),
  activityDays: over(DECLARED.history.activityDays),
  allowedOrigins: asSet(over(DECLARED.allowCors)),
  logRequests: over(DECLARED.logRequests),
  /** The currency of amounts whose field names none, such as EUR; empty: none. */
  currency: own('currency', '', currencyCode),
  /** An empty link is in nobody's User Permissions. */
  strictUserPermissions: check('apply_strict_user_permissions'),
  /** Upper-case extensions that files may have; empty: any. */
  fileExtensions: lines('allowed_file_extensions', (line) => {
    const extension = line.replace(/^\./, '').toUpperCase();
    if (!/^[A-Z0-9_+-]{1,16}$/.test(extension))
      throw new Error('must be extensions such as PDF, one per line');
    return extension;
  }),
  guestUploads: check('allow_guests_to_upload_files'),
  /** Doctypes to which Guests may, and then must, attach their uploads; empty: no attachment required. */
  guestUploadDoctypes: lines('allowed_doctypes_for_guest_uploads', (line) => line),
  /** Idle time after which a session ends; milliseconds. */
  sessionIdle: own('session_expiry', LIMITS.sessionIdle, hoursAndMinutes, 'milliseconds'),
  /** Age at which a session ends; milliseconds. */
  sessionLife: whole('session_lifetime_days', LIMITS.sessionLife, 365, 24 * 60 * 60_000),
  loginByUsername: check('allow_login_using_user_name'),
  /** Failed sign-ins before an account is locked. */
  loginAttempts: whole('allow_consecutive_login_attempts', LIMITS.loginAttempts, 100),
  /** The first lock; milliseconds. */
  loginDelay: whole('allow_login_after_fail', LIMITS.loginDelay, LIMITS.loginDelayMost / 1000, 1000),
  /** Users with a role that requires a second factor need one. */
  secondFactors: check('enable_two_factor_auth'),
  /** Password reset mails to one user in an hour. */
  passwordResets: whole('password_reset_limit', LIMITS.passwordResets, 100),
  /** Lifetime of the link in such a mail; milliseconds. */
  resetLinkLife: whole('reset_password_link_expiry_duration', LIMITS.resetLinkLife, 7 * 24 * 60 * 60, 1000),
};

/**
 * The values of the live settings: System Settings over the configuration. Frozen, and replaced after every change:
 * read it where you need it and do not keep it.
 */
export type LiveSettings = {
  readonly [Name in keyof typeof LIVE]: (typeof LIVE)[Name] extends LiveSetting<infer T> ? T : never;
};

/** The live settings: their fields, and the default of those of System Settings alone. */
export const LIVE_SETTINGS = Object.entries(LIVE).map(([name, { fieldname, path, unit, from }]) => ({
  name: name as keyof LiveSettings,
  fieldname,
  path,
  unit,
  usual: path === null ? from(DEFAULT_CONFIG) : null,
}));

/** The values of System Settings. */
export interface ReadSettings {
  readonly settings: LiveSettings;
  /** Fields with invalid values; the configuration holds for them. `reason` is `must be …`. */
  readonly problems: readonly { readonly fieldname: string; readonly reason: string }[];
  /** The settings that System Settings overrides, by name. */
  readonly given: readonly (keyof LiveSettings)[];
}

/** Reads a document of System Settings over the configuration. An empty, absent or 0 field overrides nothing. */
export function readLiveSettings(
  config: Config,
  fields: Readonly<Record<string, FieldValue | object | undefined>>,
): ReadSettings {
  const problems: { fieldname: string; reason: string }[] = [];
  const given: (keyof LiveSettings)[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(LIVE)) {
    values[name] = setting.from(config);
    const value = fields[setting.fieldname];
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '' || value === 0) continue;
    try {
      values[name] = setting.read(value);
      given.push(name as keyof LiveSettings);
    } catch (error) {
      problems.push({
        fieldname: setting.fieldname,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return { settings: Object.freeze(values) as unknown as LiveSettings, problems, given };
}

/** A setting of the configuration that a field overrides. */
function over<T>(setting: NamedSetting<T>): LiveSetting<T> {
  const { path, live } = setting;
  if (!live) throw new Error(`${path} has no field of System Settings`);
  return {
    fieldname: live.field,
    path,
    unit: null,
    from: (config) => valueAt(config, path) as T,
    read: live.read ?? ((value) => setting.read(inFile(value, setting.default), '/')),
  };
}

// 0 and an empty text leave the configuration in force: a field has -1 for 0, and Yes or No for a boolean.
function inFile(value: string | number, fallback: unknown): unknown {
  if (typeof fallback !== 'boolean') return value === -1 ? 0 : value;
  if (value !== 'Yes' && value !== 'No') throw new Error('must be Yes or No');
  return value === 'Yes';
}

function asSet<T>(list: LiveSetting<readonly T[]>): LiveSetting<ReadonlySet<T>> {
  const { from, read } = list;
  return { ...list, from: (config) => new Set(from(config)), read: (value) => new Set(read(value)) };
}

/** A setting of System Settings alone. */
function own<T>(
  fieldname: string,
  usual: T,
  read: (value: string | number) => T,
  unit: 'milliseconds' | null = null,
): LiveSetting<T> {
  return { fieldname, path: null, unit, from: () => usual, read };
}

/** A whole number from 1 to `most`, in units of `unit`. */
function whole(fieldname: string, usual: number, most: number, unit = 1): LiveSetting<number> {
  return own(
    fieldname,
    usual,
    (value) => {
      if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > most) {
        throw new Error(`must be a whole number from 1 to ${most}`);
      }
      return Number(value) * unit;
    },
    unit === 1 ? null : 'milliseconds',
  );
}

/** A code of ISO 4217. */
function currencyCode(value: string | number): string {
  const code = String(value).trim().toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) throw new Error('must be a currency code such as EUR');
  return code;
}

/** The form in which Frappe writes the duration of sessions: `24:00`, from a minute to a year. */
function hoursAndMinutes(value: string | number): number {
  const [, hours, minutes = '0'] = /^(\d{1,4})(?::([0-5]\d)(?::\d\d)?)?$/.exec(String(value).trim()) ?? [];
  const total = hours === undefined ? 0 : Number(hours) * 60 + Number(minutes);
  if (total < 1 || total > 365 * 24 * 60) throw new Error('must be hours and minutes, such as 24:00');
  return total * 60_000;
}

/** A switch, off by default. */
function check(fieldname: string): LiveSetting<boolean> {
  return own(fieldname, false, () => true);
}

/** One value on each line, or between commas. */
function lines(fieldname: string, read: (line: string) => string): LiveSetting<ReadonlySet<string>> {
  return own<ReadonlySet<string>>(fieldname, new Set(), (text) => {
    const given = String(text)
      .split(/[\n,]/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return new Set(given.map(read));
  });
}
