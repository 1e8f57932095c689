import { LIMITS } from '../kernel/limits.ts';
import type { FieldValue } from '../kernel/value.ts';
import type { Config } from './config.ts';
import { SETTINGS } from './settings.ts';

/**
 * What can be changed while the site runs: fields of the single System Settings over what the configuration says.
 * Frozen; replaced as a whole after every change, so read it where it is needed and do not keep it.
 */
export interface LiveSettings {
  /** Digits of timestamps on the wire. */
  readonly timestampPrecision: 'seconds' | 'microseconds';
  /** A link that is empty is in nobody's User Permissions. */
  readonly strictUserPermissions: boolean;
  /** Largest `limit_page_length` for users who are not administrators. */
  readonly maxPageLength: number;
  /** Queries that take as many milliseconds are remembered for `chancery doctor`; 0 remembers none. */
  readonly slowAfter: number;
  /** Largest file, bytes. */
  readonly maxFileBytes: number;
  /** `is_private` of an upload that does not say. */
  readonly privateUploads: boolean;
  /** Bytes of all files of one user; 0: any number. */
  readonly userFileBytes: number;
  /** Upper-case extensions that files may have; empty: any. */
  readonly fileExtensions: ReadonlySet<string>;
  /** Take out of photos where and with what they were made. */
  readonly stripMetadata: boolean;
  readonly guestUploads: boolean;
  /** What Guests may attach files to, and must; empty: they need not. */
  readonly guestUploadDoctypes: ReadonlySet<string>;
  /** Retries of a delivery after the first attempt, unless its webhook says otherwise. */
  readonly webhookRetries: number;
  /** Days that finished deliveries are kept; 0 keeps them. So the others. */
  readonly webhookLogDays: number;
  readonly versionDays: number;
  readonly deletedDays: number;
  readonly activityDays: number;
  /** Origins allowed by CORS; `*` allows any. Empty: no CORS headers. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Write a log line per request. */
  readonly logRequests: boolean;
  /** A session unused for so long, or so old, ends; milliseconds. */
  readonly sessionIdle: number;
  readonly sessionLife: number;
  readonly loginByUsername: boolean;
  /** Failures to sign in before one has to wait, and how long at first; milliseconds. */
  readonly loginAttempts: number;
  readonly loginDelay: number;
  /** Users with a role that asks for a second factor need one. */
  readonly secondFactors: boolean;
  /** Mails with a link for a new password to one user in an hour, and how long a link opens; milliseconds. */
  readonly passwordResets: number;
  readonly resetLinkLife: number;
}

/** A live setting: where its value comes from. */
interface LiveSetting<T> {
  /** Its field of System Settings. */
  readonly fieldname: string;
  /** What holds while the field is empty. */
  from(config: Config): T;
  /** From the field's value, which is not empty. Throws an Error that says what is wanted. */
  read(value: string | number): T;
}

const FIELDS: { readonly [name in keyof LiveSettings]: LiveSetting<LiveSettings[name]> } = {
  timestampPrecision: {
    fieldname: 'timestamp_precision',
    from: (config) => config.timestampPrecision,
    read: (value) => (checked('timestampPrecision', value) === 'seconds' ? 'seconds' : 'microseconds'),
  },
  strictUserPermissions: check('apply_strict_user_permissions'),
  maxPageLength: number('max_page_length', 'lists.maxPageLength', (config) => config.lists.maxPageLength),
  slowAfter: number('slow_query_milliseconds', 'lists.slowAfter', (config) => config.lists.slowAfter),
  maxFileBytes: {
    fieldname: 'max_file_size',
    from: (config) => config.uploads.maxBytes,
    read: (megabytes) => {
      const most = LARGEST_FILE / MEGABYTE;
      if (Number(megabytes) < 1 || Number(megabytes) > most) throw new Error(`must be from 1 to ${most} MB`);
      return Number(megabytes) * MEGABYTE;
    },
  },
  privateUploads: yesOrNo('private_uploads', (config) => config.uploads.defaultPrivate),
  userFileBytes: {
    fieldname: 'user_file_quota',
    from: (config) => config.uploads.perUserBytes,
    read: (megabytes) => {
      const most = LARGEST_QUOTA / MEGABYTE;
      if (Number(megabytes) < -1 || Number(megabytes) > most) {
        throw new Error(`must be from 1 to ${most} MB, or -1`);
      }
      return Math.max(0, Number(megabytes)) * MEGABYTE;
    },
  },
  fileExtensions: lines('allowed_file_extensions', (line) => {
    const extension = line.replace(/^\./, '').toUpperCase();
    if (!/^[A-Z0-9_+-]{1,16}$/.test(extension))
      throw new Error('must be extensions such as PDF, one on each line');
    return extension;
  }),
  stripMetadata: yesOrNo(
    'strip_exif_metadata_from_uploaded_images',
    (config) => config.uploads.stripMetadata,
  ),
  guestUploads: check('allow_guests_to_upload_files'),
  guestUploadDoctypes: lines('allowed_doctypes_for_guest_uploads', (line) => line),
  webhookRetries: number('webhook_retries', 'webhooks.maxRetries', (config) => config.webhooks.maxRetries),
  webhookLogDays: number('webhook_log_days', 'webhooks.logDays', (config) => config.webhooks.logDays),
  versionDays: number('version_days', 'history.versionDays', (config) => config.history.versionDays),
  deletedDays: number('deleted_document_days', 'history.deletedDays', (config) => config.history.deletedDays),
  activityDays: number('activity_days', 'history.activityDays', (config) => config.history.activityDays),
  allowedOrigins: {
    fieldname: 'allow_cors',
    from: (config) => new Set(config.allowCors),
    read: (text) => new Set(String(text).trim().toLowerCase() === 'none' ? [] : originsOf(String(text))),
  },
  logRequests: yesOrNo('log_requests', (config) => config.logRequests),
  sessionIdle: { fieldname: 'session_expiry', from: () => LIMITS.sessionIdle, read: hoursAndMinutes },
  sessionLife: whole('session_lifetime_days', LIMITS.sessionLife, 365, 24 * 60 * 60_000),
  loginByUsername: check('allow_login_using_user_name'),
  loginAttempts: whole('allow_consecutive_login_attempts', LIMITS.loginAttempts, 100),
  loginDelay: whole('allow_login_after_fail', LIMITS.loginDelay, LIMITS.loginDelayMost / 1000, 1000),
  secondFactors: check('enable_two_factor_auth'),
  passwordResets: whole('password_reset_limit', LIMITS.passwordResets, 100),
  resetLinkLife: whole('reset_password_link_expiry_duration', LIMITS.resetLinkLife, 7 * 24 * 60 * 60, 1000),
};

const MEGABYTE = 1024 * 1024;
const LARGEST_FILE = 2 ** 40;
const LARGEST_QUOTA = 2 ** 50;

/** What System Settings come to. */
export interface ReadSettings {
  readonly settings: LiveSettings;
  /** Fields whose values are of no use: they are as the configuration says. `reason` is `must be …`. */
  readonly problems: readonly { readonly fieldname: string; readonly reason: string }[];
  /** What System Settings says, by name; all else is as the configuration says. */
  readonly given: readonly (keyof LiveSettings)[];
}

/** What a document of System Settings makes of the configuration. A field that is empty, 0 or absent says nothing. */
export function readLiveSettings(
  config: Config,
  fields: Readonly<Record<string, FieldValue | object | undefined>>,
): ReadSettings {
  const problems: { fieldname: string; reason: string }[] = [];
  const given: (keyof LiveSettings)[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(FIELDS)) {
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

// What the configuration accepts, in the same words. A number's 0 means that nothing was said: -1 stands for it.
function checked(path: string, value: string | number): unknown {
  const setting = SETTINGS.find((one) => one.path === path);
  if (!setting) throw new Error(`${path} is not a setting`);
  return setting.read(value === -1 ? 0 : value, '/');
}

function number(fieldname: string, path: string, from: (config: Config) => number): LiveSetting<number> {
  return { fieldname, from, read: (value) => Number(checked(path, value)) };
}

/** A Select of Yes and No, where empty says nothing. */
function yesOrNo(fieldname: string, from: (config: Config) => boolean): LiveSetting<boolean> {
  return {
    fieldname,
    from,
    read: (value) => {
      if (value !== 'Yes' && value !== 'No') throw new Error('must be Yes or No');
      return value === 'Yes';
    },
  };
}

/** A whole number from 1 to `most`, in units of `unit`, that the configuration does not know. */
function whole(fieldname: string, usual: number, most: number, unit = 1): LiveSetting<number> {
  return {
    fieldname,
    from: () => usual,
    read: (value) => {
      if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > most) {
        throw new Error(`must be a whole number from 1 to ${most}`);
      }
      return Number(value) * unit;
    },
  };
}

/** `24:00`, as Frappe writes how long sessions last: from a minute to a year. */
function hoursAndMinutes(value: string | number): number {
  const [, hours, minutes = '0'] = /^(\d{1,4})(?::([0-5]\d)(?::\d\d)?)?$/.exec(String(value).trim()) ?? [];
  const total = hours === undefined ? 0 : Number(hours) * 60 + Number(minutes);
  if (total < 1 || total > 365 * 24 * 60) throw new Error('must be hours and minutes, such as 24:00');
  return total * 60_000;
}

/** What the configuration does not know, and is off unless set. */
function check(fieldname: string): LiveSetting<boolean> {
  return { fieldname, from: () => false, read: () => true };
}

/** One value on each line, or between commas, that the configuration does not know. */
function lines(fieldname: string, read: (line: string) => string): LiveSetting<ReadonlySet<string>> {
  return {
    fieldname,
    from: () => new Set(),
    read: (text) => {
      const given = String(text).split(/[\n,]/);
      return new Set(
        given
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .map(read),
      );
    },
  };
}

function originsOf(text: string): string[] {
  const origins = text.split(/[\s,]+/).filter((origin) => origin !== '');
  for (const origin of origins) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw new Error(`must name origins such as https://app.example.com, not "${origin.slice(0, 100)}"`);
    }
  }
  return origins;
}
