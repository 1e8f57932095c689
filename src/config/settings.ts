import { resolve } from 'node:path';
import { LIMITS } from '../kernel/limits.ts';
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
  proxy,
  secretKey,
  siteUrl,
  text,
  timeZone,
  tunnelProxy,
} from './read-setting.ts';

/** One thing that can be set, and everywhere it can be set from. */
export interface Setting {
  /** Where it is in `Config` and in the file: `webhooks.allow`. */
  readonly path: string;
  /** The command line flag, without `--`. */
  readonly flag?: string;
  /** Whether its flag matters to a server alone, and not to a command on its site. */
  readonly forServer?: boolean;
  /** What holds when it is not set, for a person. Default: the value in `DEFAULT_CONFIG`. */
  readonly unset?: string;
  /** Another name of the environment variable, for habit's sake. */
  readonly envAlias?: string;
  /** Masked wherever the configuration is shown. */
  readonly secret?: boolean;
  /** An empty text is refused: as no value, it would make up another password or open another database. */
  readonly neverEmpty?: boolean;
  /** One sentence for `chancery help` and the docs. */
  readonly help: string;
  /** From text or JSON to the value; throws an Error that says what is wanted. `cwd` resolves relative paths. */
  read(value: unknown, cwd: string): unknown;
}

const HOUR = 60 * 60 * 1000;

/** A century. */
const MOST_DAYS = 36_500;

const MOST_REQUESTS = 1_000_000_000;
const MOST_AT_ONCE = 100_000;
const MEGABYTE = 1024 * 1024;
const MOST_UNSENT = 1024 * 1024 * MEGABYTE;

/** Every setting, in the order they are shown. */
export const SETTINGS: readonly Setting[] = [
  {
    path: 'port',
    flag: 'port',
    forServer: true,
    help: 'TCP port; 0 picks a free one',
    read: integer(0, 65_535),
  },
  { path: 'host', flag: 'host', forServer: true, help: 'address to listen on', read: text },
  {
    path: 'trustProxy',
    help: 'addresses and CIDRs of proxies whose X-Forwarded-For, -Proto and -Host are believed',
    read: list(proxy),
  },
  { path: 'data', flag: 'data', help: 'data directory', read: (value, cwd) => resolve(cwd, text(value)) },
  {
    path: 'database',
    flag: 'database',
    envAlias: 'CHANCERY_DATABASE_URL',
    unset: 'SQLite, chancery.db in the data directory',
    secret: true,
    neverEmpty: true,
    help: 'sqlite:<path> or postgres://user:password@host/name',
    read: databaseUrl,
  },
  {
    path: 'files',
    flag: 'files',
    unset: 'files in the data directory',
    secret: true,
    neverEmpty: true,
    help: 'where stored files are: a path, a file: URL, or s3://bucket/prefix',
    read: filesPlace,
  },
  {
    path: 'apps',
    flag: 'apps',
    help: 'apps to load: names, paths, packages; empty for none',
    read: list(text),
  },
  { path: 'timeZone', help: 'IANA time zone of stored timestamps', read: timeZone },
  {
    path: 'timestampPrecision',
    help: 'digits of timestamps in replies: seconds or microseconds',
    read: oneOf('seconds', 'microseconds'),
  },
  {
    path: 'adminPassword',
    secret: true,
    neverEmpty: true,
    help: 'password of Administrator on the first start',
    read: atMost(LIMITS.passwordLength),
  },
  {
    path: 'adminApiKey',
    secret: true,
    neverEmpty: true,
    help: 'key:secret of an API key of Administrator, made or replaced at start',
    read: keyAndSecret,
  },
  {
    path: 'secretKey',
    secret: true,
    neverEmpty: true,
    help: '32 bytes in base64 that encrypt stored secrets',
    read: secretKey,
  },
  {
    path: 'secretKeysOld',
    secret: true,
    help: 'keys that secretKey replaces, while secrets of theirs are left',
    read: list(secretKey),
  },
  { path: 'uploads.maxBytes', help: 'largest file, in bytes', read: integer(1, 2 ** 40) },
  { path: 'uploads.defaultPrivate', help: 'uploads are private unless they say otherwise', read: flag },
  {
    path: 'uploads.perUserBytes',
    help: 'bytes of all files of one user; 0 sets no limit',
    read: integer(0, 2 ** 50),
  },
  {
    path: 'uploads.stripMetadata',
    help: 'take out of JPEG photos where and with what they were made',
    read: flag,
  },
  {
    path: 'quarantine.bytes',
    help: 'bytes of the quarantine, beyond which deleted files go before seven days have passed; 0 keeps none of them',
    read: integer(0, 2 ** 50),
  },
  {
    path: 'downloads.accelRedirect',
    help: 'internal location of nginx that has the stored files, such as /protected/',
    read: location,
  },
  {
    path: 'downloads.sendfile',
    help: 'name the path of a file in X-Sendfile instead of sending it',
    read: flag,
  },
  {
    path: 'downloads.linkLife',
    help: 'longest life of a link to a private file, in seconds; 0 makes none',
    read: integer(0, 10 * 365 * 24 * 60 * 60),
  },
  {
    path: 'downloads.presign',
    help: 'seconds that a url of the S3 store opens a file, to which downloads are redirected; 0: none are',
    read: integer(0, 7 * 24 * 60 * 60),
  },
  {
    path: 'downloads.thumbnailBytes',
    help: 'bytes of thumbnails kept on disk; 0 keeps none',
    read: integer(0, 2 ** 40),
  },
  {
    path: 'lists.maxPageLength',
    help: 'largest limit_page_length for users who are not administrators',
    read: integer(1_000, 1_000_000),
  },
  {
    path: 'lists.maxBytes',
    help: 'bytes of a list held in memory; a longer one is sent in pieces, or refused',
    read: integer(1_000, 256 * 1024 * 1024),
  },
  {
    path: 'lists.timeout',
    help: 'milliseconds that one list, count or other read may take',
    read: integer(100, HOUR),
  },
  {
    path: 'lists.slowAfter',
    help: 'milliseconds after which a query is remembered for chancery doctor; 0 remembers none',
    read: integer(0, HOUR),
  },
  { path: 'webhooks.allow', help: 'CIDRs that webhooks may reach although not public', read: list(cidr) },
  {
    path: 'webhooks.proxy',
    secret: true,
    help: 'http://user:password@host:port of a proxy that webhooks go through (CONNECT)',
    read: tunnelProxy,
  },
  {
    path: 'webhooks.maxRetries',
    help: 'retries after the first attempt',
    read: integer(0, LIMITS.webhookRetries),
  },
  { path: 'webhooks.backoffBase', help: 'first retry delay, in milliseconds', read: integer(1, HOUR) },
  { path: 'webhooks.backoffFactor', help: 'growth of the retry delay', read: integer(1, 100) },
  { path: 'webhooks.backoffCap', help: 'longest retry delay, in milliseconds', read: integer(1, 168 * HOUR) },
  {
    path: 'webhooks.restAfterFailures',
    help: 'how long a receiver that fails again and again is left alone at first, in milliseconds',
    read: integer(1, HOUR),
  },
  {
    path: 'webhooks.disableAfter',
    help: 'a webhook whose deliveries all failed for so long is disabled, in milliseconds; 0 disables none',
    read: integer(0, 365 * 24 * HOUR),
  },
  { path: 'webhooks.worker', help: 'deliver webhooks from this process', read: flag },
  {
    path: 'webhooks.loopLimit',
    help: 'changes of a document in a minute after which a webhook tells the newest every 10 s; 0: no limit',
    read: integer(0, 1_000_000),
  },
  {
    path: 'webhooks.logDays',
    help: 'days that finished deliveries stay in the log; 0 keeps them',
    read: integer(0, MOST_DAYS),
  },
  {
    path: 'webhooks.logBytes',
    help: 'bytes of finished deliveries beyond which the oldest go before their days; 0: any number',
    read: integer(0, 2 ** 50),
  },
  {
    path: 'signIn.allow',
    help: 'CIDRs of providers that users sign in with although not public',
    read: list(cidr),
  },
  {
    path: 'history.versionDays',
    help: 'days that versions are kept; 0 keeps them',
    read: integer(0, MOST_DAYS),
  },
  {
    path: 'history.deletedDays',
    help: 'days that deleted documents are kept for restoring; 0 keeps them',
    read: integer(0, MOST_DAYS),
  },
  {
    path: 'history.activityDays',
    help: "days that the system's own comments are kept; 0 keeps them",
    read: integer(0, MOST_DAYS),
  },
  {
    path: 'history.forgetDeleted',
    help: 'doctypes whose deleted documents are gone at once',
    read: list(text),
  },
  {
    path: 'auditDays',
    help: 'days that the audit log is kept; 0 keeps it',
    read: integer(0, MOST_DAYS),
  },
  { path: 'rateLimits.window', help: 'seconds that the next ones are about', read: integer(1, 3_600) },
  {
    path: 'rateLimits.perKey',
    help: 'requests of one API key or token in that time; 0 sets no limit',
    read: integer(0, MOST_REQUESTS),
  },
  {
    path: 'rateLimits.perUser',
    help: 'requests of one user; 0 sets no limit',
    read: integer(0, MOST_REQUESTS),
  },
  {
    path: 'rateLimits.perAddress',
    help: 'requests without credentials from one address; 0 sets no limit',
    read: integer(0, MOST_REQUESTS),
  },
  {
    path: 'rateLimits.logins',
    help: 'sign-ins from one address; 0 sets no limit',
    read: integer(0, MOST_REQUESTS),
  },
  {
    path: 'rateLimits.uploads',
    help: 'uploads of one user; 0 sets no limit',
    read: integer(0, MOST_REQUESTS),
  },
  {
    path: 'admission.reads',
    help: 'documents and files being read at the same time',
    read: integer(1, MOST_AT_ONCE),
  },
  {
    path: 'admission.lists',
    help: 'lists, counts and searches at the same time',
    read: integer(1, MOST_AT_ONCE),
  },
  { path: 'admission.writes', help: 'changes at the same time', read: integer(1, MOST_AT_ONCE) },
  { path: 'admission.uploads', help: 'uploads at the same time', read: integer(1, MOST_AT_ONCE) },
  { path: 'admission.logins', help: 'sign-ins at the same time', read: integer(1, MOST_AT_ONCE) },
  {
    path: 'admission.patience',
    help: 'milliseconds that a request waits for its turn before it is refused',
    read: integer(0, 60_000),
  },
  {
    path: 'admission.lateness',
    help: 'milliseconds behind at which the server refuses what it has not begun; 0: never',
    read: integer(0, 60_000),
  },
  {
    path: 'admission.unsentPerCaller',
    help: 'bytes of replies that one user, or Guests at one address, may leave unread before reads are refused',
    read: integer(MEGABYTE, MOST_UNSENT),
  },
  {
    path: 'admission.unsent',
    help: 'bytes of unread replies at which the largest are cut off',
    read: integer(MEGABYTE, MOST_UNSENT),
  },
  {
    path: 'shutdown.grace',
    help: 'milliseconds after SIGTERM in which /ready answers 503 and requests are still accepted',
    read: integer(0, HOUR),
  },
  {
    path: 'siteUrl',
    help: 'how the site is reached from outside: links in mails begin with it',
    read: siteUrl,
  },
  {
    path: 'mail.url',
    secret: true,
    help: 'smtp://user:password@host:587, or smtps://; empty sends no mail',
    read: mailUrl,
  },
  { path: 'mail.from', help: 'address that mails are from', read: mailAddress },
  {
    path: 'metrics.token',
    secret: true,
    neverEmpty: true,
    help: 'what Prometheus sends as Bearer to read /metrics, 16 characters or more',
    read: metricsToken,
  },
  {
    path: 'allowCors',
    help: 'origins allowed by CORS; * allows any, with keys but not with the cookies of a user',
    read: list(text),
  },
  { path: 'adminUi', help: 'serve the admin UI at /app', read: flag },
  { path: 'logRequests', help: 'write a log line per request', read: flag },
];

/** `webhooks.maxRetries` → `CHANCERY_WEBHOOKS_MAX_RETRIES`. */
export function envName(path: string): string {
  return `CHANCERY_${path
    .replaceAll('.', '_')
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;
}
