import { resolve } from 'node:path';
import { LIMITS } from '../kernel/limits.ts';
import { BACKUP_SETTINGS } from './backup-settings.ts';
import {
  atMost,
  cidr,
  databaseUrl,
  filesPlace,
  flag,
  integer,
  keyAndSecret,
  list,
  location,
  mailAddress,
  mailUrl,
  metricsToken,
  oneOf,
  origins,
  postgresUrl,
  proxy,
  secretKey,
  siteUrl,
  text,
  timeZone,
  tunnelProxy,
  wholeMegabytes,
  workers,
} from './read-setting.ts';
import { listSettings, type NamedSetting, nameSettings, optional, SECRET, setting } from './setting.ts';

const KILOBYTE = 1_000;
const MEGABYTE = 1024 * 1024;
const GIGABYTE = 1024 * MEGABYTE;
const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;
const DAY = 24 * HOUR;
const LARGEST_FILE = 2 ** 40;
const MOST_BYTES = 2 ** 50;
const days = integer(0, 36_500);
const bytes = integer(0, MOST_BYTES);
const requests = integer(0, 1_000_000_000);
const atOnce = integer(1, 100_000);
const unsentBytes = integer(MEGABYTE, 1024 * GIGABYTE);

/**
 * Every setting, in the order of `--help` and docs/configuration.md: default, reader, help, options. After an edit
 * run `npm run docs`.
 */
export const DECLARED = nameSettings({
  port: setting(8000, integer(0, 65_535), 'TCP port; 0 picks a free one', { flag: 'port', forServer: true }),
  host: setting('127.0.0.1', text, 'address to listen on', { flag: 'host', forServer: true }),
  workers: setting(1, workers, 'processes that serve a site; auto: one per core, and one on SQLite', {
    flag: 'workers',
    forServer: true,
  }),
  role: setting(
    'all',
    oneOf('all', 'serve', 'work'),
    'all; serve: no webhooks and no periodic jobs; work: only these, with no HTTP but /health, /ready and /metrics',
    { flag: 'role', forServer: true },
  ),
  trustProxy: setting(
    [],
    list(proxy),
    'addresses and CIDRs of proxies whose X-Forwarded-For, -Proto and -Host headers are trusted',
  ),
  data: setting('data', (value, cwd) => resolve(cwd, text(value)), 'data directory', { flag: 'data' }),
  database: optional(databaseUrl, 'sqlite:<path> or postgres://user:password@host/name', {
    flag: 'database',
    envAlias: 'CHANCERY_DATABASE_URL',
    unset: 'SQLite, chancery.db in the data directory',
    ...SECRET,
  }),
  databaseListenUrl: optional(postgresUrl, 'PostgreSQL past a connection pooler, for notices', SECRET),
  databaseReplicas: setting([], list(postgresUrl), 'URLs of read replicas of PostgreSQL', { secret: true }),
  databaseReplicaStaleness: setting(LIMITS.replicaStaleness, integer(0, DAY), 'their longest delay, in ms'),
  databaseConnections: setting(
    60,
    integer(8, 10_000),
    'connections to PostgreSQL, divided among the workers; a worker needs 8 and uses at most 15',
  ),
  databaseLogBytes: setting(4 * GIGABYTE, bytes, 'size of the log of SQLite that stops changes, in bytes'),
  files: optional(filesPlace, 'place of stored files: a path, a file: URL, or s3://bucket/prefix', {
    flag: 'files',
    unset: 'files in the data directory',
    ...SECRET,
  }),
  apps: setting(['crm'], list(text), 'apps to load: names, paths, packages; empty for none', {
    flag: 'apps',
  }),
  timeZone: setting('UTC', timeZone, 'IANA time zone of stored timestamps'),
  timestampPrecision: setting(
    'seconds',
    oneOf('seconds', 'microseconds'),
    'precision of timestamps in replies: seconds or microseconds',
    { live: { field: 'timestamp_precision' } },
  ),
  adminPassword: optional(atMost(LIMITS.passwordLength), 'password of Administrator on the first start', {
    unset: 'random',
    ...SECRET,
  }),
  adminApiKey: optional(
    keyAndSecret,
    'API key of Administrator as key:secret, created or replaced at start',
    { unset: 'random', ...SECRET },
  ),
  secretKey: optional(secretKey, 'key that encrypts stored secrets, 32 bytes in base64', {
    unset: 'secret.key in the data directory',
    ...SECRET,
  }),
  secretKeysOld: setting(
    [],
    list(secretKey),
    'former values of secretKey, as long as stored secrets are encrypted with them',
    { secret: true },
  ),
  uploads: {
    maxBytes: setting(LIMITS.fileBytes, integer(1, LARGEST_FILE), 'largest file, in bytes', {
      live: { field: 'max_file_size', read: wholeMegabytes(1, LARGEST_FILE) },
    }),
    defaultPrivate: setting(false, flag, 'uploads without is_private are private', {
      live: { field: 'private_uploads' },
    }),
    perUserBytes: setting(0, bytes, 'size of all files of one user, in bytes; 0: no limit', {
      live: { field: 'user_file_quota', read: wholeMegabytes(0, MOST_BYTES) },
    }),
    stripMetadata: setting(true, flag, 'remove location and camera data from JPEG photos', {
      live: { field: 'strip_exif_metadata_from_uploaded_images' },
    }),
  },
  quarantine: {
    bytes: setting(
      LIMITS.quarantineBytes,
      bytes,
      'size of the quarantine of deleted files, in bytes; above it, files are deleted before seven days have passed; 0 keeps none',
    ),
  },
  backup: BACKUP_SETTINGS,
  downloads: {
    accelRedirect: optional(
      location,
      'internal location of nginx that contains the stored files, such as /protected/; nginx then sends them',
    ),
    sendfile: setting(
      false,
      flag,
      'send the header X-Sendfile instead of the file; Apache or lighttpd then sends it',
    ),
    linkLife: setting(
      (7 * DAY) / SECOND,
      integer(0, 10 * 365 * 24 * 60 * 60),
      'longest lifetime of a link to a private file, in seconds; 0: no links',
    ),
    presign: setting(
      0,
      integer(0, 7 * 24 * 60 * 60),
      'lifetime of the S3 URL to which a download is redirected, in seconds; 0: no redirects',
    ),
    thumbnailBytes: setting(
      256 * MEGABYTE,
      integer(0, 2 ** 40),
      'size of the thumbnail cache on disk, in bytes; 0: no cache',
    ),
  },
  lists: {
    maxPageLength: setting(
      LIMITS.maxPageLength,
      integer(1_000, 1_000_000),
      'largest limit_page_length for users who are not administrators',
      { live: { field: 'max_page_length' } },
    ),
    maxBytes: setting(
      LIMITS.listBytes,
      integer(KILOBYTE, 256 * MEGABYTE),
      'size of a list in memory, in bytes; longer lists are sent in pieces or refused',
    ),
    timeout: setting(
      LIMITS.queryTimeout,
      integer(100, HOUR),
      'timeout of one list, count or other read, in milliseconds',
    ),
    slowAfter: setting(
      100,
      integer(0, HOUR),
      'shortest duration of queries that are recorded for chancery doctor, in milliseconds; 0: none',
      { live: { field: 'slow_query_milliseconds' } },
    ),
  },
  webhooks: {
    allow: setting(
      [],
      list(cidr),
      'addresses and CIDRs that webhooks may reach although they are not public',
    ),
    proxy: optional(
      tunnelProxy,
      'HTTP proxy for webhooks (http://user:password@host:port); it must support CONNECT',
      { secret: true },
    ),
    maxRetries: setting(
      13,
      integer(0, LIMITS.webhookRetries),
      'default number of retries after the first attempt',
      { live: { field: 'webhook_retries' } },
    ),
    backoffBase: setting(5 * SECOND, integer(1, HOUR), 'first retry delay, in milliseconds'),
    backoffFactor: setting(4, integer(1, 100), 'growth factor of the retry delay'),
    backoffCap: setting(12 * HOUR, integer(1, 7 * DAY), 'longest retry delay, in milliseconds'),
    restAfterFailures: setting(
      30 * SECOND,
      integer(1, HOUR),
      'first pause of deliveries to a receiver that fails repeatedly, in milliseconds',
    ),
    disableAfter: setting(
      5 * DAY,
      integer(0, 365 * DAY),
      'time without a successful delivery after which a failing webhook is disabled, in milliseconds; 0: never',
    ),
    loopLimit: setting(
      20,
      integer(0, 1_000_000),
      'changes of one document per minute at which a webhook starts to send only the newest, every 10 s; 0: no limit',
    ),
    worker: setting(true, flag, 'deliver webhooks from this process', {
      offFlag: { name: 'no-worker', help: 'do not deliver webhooks from this process' },
      forServer: true,
    }),
    logDays: setting(30, days, 'days that finished deliveries are kept; 0: for ever', {
      live: { field: 'webhook_log_days' },
    }),
    logBytes: setting(
      2 * GIGABYTE,
      bytes,
      'size of finished deliveries, in bytes, above which the oldest are deleted early; 0: no limit',
    ),
  },
  signIn: {
    allow: setting([], list(cidr), 'addresses and CIDRs of sign-in providers that are not public'),
  },
  history: {
    versionDays: setting(0, days, 'days that versions are kept; 0: for ever', {
      live: { field: 'version_days' },
    }),
    deletedDays: setting(0, days, 'days that deleted documents can be restored; 0: for ever', {
      live: { field: 'deleted_document_days' },
    }),
    activityDays: setting(0, days, "days that the system's own comments are kept; 0: for ever", {
      live: { field: 'activity_days' },
    }),
    forgetDeleted: setting([], list(text), 'doctypes whose deleted documents cannot be restored'),
  },
  // Not live: System Managers could otherwise shorten the log of their own changes.
  auditDays: setting(365, days, 'days that the audit log is kept; 0: for ever'),
  // Each node counts for itself.
  rateLimits: {
    window: setting(60, integer(1, 3_600), 'window of the rate limits, in seconds'),
    perKey: setting(60_000, requests, 'requests of one API key or token per window; 0: no limit'),
    perUser: setting(120_000, requests, 'requests of one user per window; 0: no limit'),
    perAddress: setting(
      30_000,
      requests,
      'requests without credentials from one address per window; 0: no limit',
    ),
    logins: setting(600, requests, 'sign-ins from one address per window; 0: no limit'),
    uploads: setting(6_000, requests, 'uploads of one user per window; 0: no limit'),
  },
  // Of one node.
  admission: {
    reads: setting(512, atOnce, 'reads of documents and files at the same time'),
    lists: setting(128, atOnce, 'lists, counts and searches at the same time'),
    writes: setting(512, atOnce, 'writes at the same time'),
    uploads: setting(64, atOnce, 'uploads at the same time'),
    logins: setting(16, atOnce, 'sign-ins at the same time'),
    patience: setting(
      2 * SECOND,
      integer(0, 60_000),
      'longest wait of a request in the queue, in milliseconds',
    ),
    lateness: setting(
      20,
      integer(0, 60_000),
      'delay of the event loop at which new requests queue, in milliseconds; 0: never',
    ),
    unsentPerCaller: setting(
      64 * MEGABYTE,
      unsentBytes,
      'bytes of unread replies at which reads of one user, or of Guests at one address, are refused',
    ),
    unsent: setting(512 * MEGABYTE, unsentBytes, 'bytes of unread replies at which the largest are cut off'),
  },
  shutdown: {
    grace: setting(
      3 * SECOND,
      integer(0, HOUR),
      'time after SIGTERM in which /ready answers 503 and requests are still accepted, in milliseconds',
    ),
  },
  siteUrl: optional(siteUrl, 'public address of the site; links in mails begin with it'),
  mail: {
    url: optional(
      mailUrl,
      'mail server: smtp://user:password@host:587 or smtps://…; without one no mail is sent',
      { secret: true },
    ),
    from: optional(mailAddress, 'sender address of mails'),
  },
  metrics: {
    token: optional(
      metricsToken,
      'Bearer token with which Prometheus reads /metrics, 16 characters or more',
      SECRET,
    ),
  },
  telemetry: {
    endpoint: optional(
      siteUrl,
      'OpenTelemetry collector that gets traces and metrics by OTLP over HTTP, such as http://127.0.0.1:4318',
    ),
    percent: setting(100, integer(0, 100), 'percentage of the traces that begin here and are sent'),
  },
  allowCors: setting(
    [],
    list(text),
    'origins allowed by CORS; * allows any, with API keys but not with session cookies',
    { live: { field: 'allow_cors', read: origins } },
  ),
  adminUi: setting(true, flag, 'serve the admin UI at /app', {
    offFlag: { name: 'no-admin-ui', help: 'do not serve the admin UI' },
    forServer: true,
  }),
  logRequests: setting(false, flag, 'write a log line per request', { live: { field: 'log_requests' } }),
  logSlowRequests: setting(
    5 * SECOND,
    integer(0, HOUR),
    'shortest duration of requests that are logged with their stages, in milliseconds; 0: none',
  ),
  logLevel: setting(
    'info',
    oneOf('debug', 'info', 'warn', 'error'),
    'least severity of log lines: debug, info, warn or error',
  ),
  logFormat: setting(
    'auto',
    oneOf('auto', 'json', 'text'),
    'json, text, or auto: text when standard error is a terminal, else JSON',
  ),
});

/** Every setting, in the same order. */
export const SETTINGS: readonly NamedSetting[] = listSettings(DECLARED);
