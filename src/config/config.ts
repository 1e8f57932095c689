import { LIMITS } from '../kernel/limits.ts';

/** Everything that can be set, frozen at start. Sources: defaults < chancery.config.json < CHANCERY_* < flags. */
export interface Config {
  /** TCP port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Networks whose `X-Forwarded-For`, `-Proto` and `-Host` are believed. */
  readonly trustProxy: readonly string[];
  /** Data directory, absolute: the SQLite database and uploaded files live here. */
  readonly data: string;
  /** `sqlite:<path>` or `postgres://…`; null means SQLite in the data directory. */
  readonly database: string | null;
  /** Where stored files are: an absolute path or `s3://…`; null means `files` in the data directory. */
  readonly files: string | null;
  /** App modules to load: absolute paths or package names; the bundled `crm` is named `crm`. */
  readonly apps: readonly string[];
  /** IANA time zone of stored timestamps. */
  readonly timeZone: string;
  /** Digits of timestamps on the wire. */
  readonly timestampPrecision: 'seconds' | 'microseconds';
  /** Password of the user Administrator on the first start; null makes a random one. */
  readonly adminPassword: string | null;
  /** `key:secret` of Administrator's API key, made or replaced at start; null makes a random one on the first start. */
  readonly adminApiKey: string | null;
  /** 32 bytes in base64: encrypts stored secrets; null means `secret.key` in the data directory, made on first start. */
  readonly secretKey: string | null;
  /** Keys in base64 that `secretKey`, or the first line of `secret.key`, replaces. */
  readonly secretKeysOld: readonly string[];
  readonly uploads: {
    /** Largest file, bytes. */
    readonly maxBytes: number;
    /** `is_private` of an upload that does not say. */
    readonly defaultPrivate: boolean;
    /** Bytes of all files of one user; 0: any number. */
    readonly perUserBytes: number;
    /** Take out of photos where and with what they were made. */
    readonly stripMetadata: boolean;
  };
  readonly quarantine: {
    /** Bytes of stored files in quarantine, beyond which deleted files go early; 0: they go at once. */
    readonly bytes: number;
  };
  readonly downloads: {
    /** Internal location of nginx, with slashes around it, under which it finds the storage; null: the server sends files itself. */
    readonly accelRedirect: string | null;
    /** Name the path of a file in `X-Sendfile`, for Apache or lighttpd in front, instead of sending it. */
    readonly sendfile: boolean;
    /** Longest life of a link to a private file, seconds; 0: there are none. */
    readonly linkLife: number;
    /** Seconds that a url of the S3 store opens a file, to which downloads are redirected; 0: none are. */
    readonly presign: number;
    /** Bytes of thumbnails kept on disk; 0 keeps none. */
    readonly thumbnailBytes: number;
  };
  readonly lists: {
    /** Largest `limit_page_length` for users who are not administrators. */
    readonly maxPageLength: number;
    /** Bytes of a list held in memory; a longer one is sent in pieces, or refused. */
    readonly maxBytes: number;
    /** Milliseconds that one list, count or other read may take. */
    readonly timeout: number;
    /** Queries that take as many milliseconds are remembered for `chancery doctor`; 0 remembers none. */
    readonly slowAfter: number;
  };
  readonly webhooks: {
    /** CIDRs that deliveries may reach although they are loopback, link-local or private. */
    readonly allow: readonly string[];
    /** The HTTP proxy (`http://user:password@host:port`) that deliveries go through, by CONNECT; null: they go directly. */
    readonly proxy: string | null;
    /** Retries after the first attempt, unless the webhook says otherwise (0-50). */
    readonly maxRetries: number;
    /** First delay, growth, and ceiling of the backoff; milliseconds. */
    readonly backoffBase: number;
    readonly backoffFactor: number;
    readonly backoffCap: number;
    /** How long a receiver that fails again and again is left alone at first; milliseconds. */
    readonly restAfterFailures: number;
    /** A webhook whose deliveries failed for so long, all of them, is disabled; milliseconds, 0: none is. */
    readonly disableAfter: number;
    /** Deliver from this process. */
    readonly worker: boolean;
    /** Changes of one document in a minute after which each webhook tells only the newest; 0: any number. */
    readonly loopLimit: number;
    /** Days that finished deliveries stay in the request log; 0 keeps them. */
    readonly logDays: number;
    /** Bytes of finished deliveries beyond which the oldest go, whatever their age; 0: any number. */
    readonly logBytes: number;
  };
  readonly signIn: {
    /** CIDRs of providers that users sign in with, although they are loopback, link-local or private. */
    readonly allow: readonly string[];
  };
  readonly history: {
    /** Days that versions are kept; 0 keeps them as long as their documents. */
    readonly versionDays: number;
    /** Days that deleted documents are kept for restoring; 0 keeps them. */
    readonly deletedDays: number;
    /** Days that the system's own comments (attachments, renames, assignments) are kept; 0 keeps them. */
    readonly activityDays: number;
    /** Doctypes whose deleted documents are gone at once. */
    readonly forgetDeleted: readonly string[];
  };
  /** Requests in `window` seconds, all at once or evenly; each node counts for itself. 0: no limit. */
  readonly rateLimits: {
    readonly window: number;
    /** Of one API key or token; of one user in all; of one address without credentials. */
    readonly perKey: number;
    readonly perUser: number;
    readonly perAddress: number;
    /** Sign-ins and the like from one address. */
    readonly logins: number;
    /** Uploads of one user. */
    readonly uploads: number;
  };
  /** Requests being worked on at the same time on one node, by what they do. */
  readonly admission: {
    readonly reads: number;
    readonly lists: number;
    readonly writes: number;
    readonly uploads: number;
    readonly logins: number;
    /** Milliseconds that a request waits for its turn before it is refused. */
    readonly patience: number;
    /** Milliseconds that a request may have waited for the event loop; 0: however long. */
    readonly lateness: number;
    /** Bytes of replies in memory that clients have not read: of one user or of Guests at one address, and in total. */
    readonly unsentPerCaller: number;
    readonly unsent: number;
  };
  /**
   * Days that entries of the audit log are kept; 0 keeps them. Not among System Settings: who may change those is whom
   * the log is about.
   */
  readonly auditDays: number;
  readonly shutdown: {
    /** Milliseconds after SIGTERM or SIGHUP in which `/ready` is 503 and requests are still accepted. */
    readonly grace: number;
  };
  /** How the site is reached from outside, without a slash at the end: links in mails begin with it. */
  readonly siteUrl: string | null;
  readonly mail: {
    /** `smtp://user:password@host:587` or `smtps://…`; null: no mail is sent. */
    readonly url: string | null;
    /** Who mails are from: an address. */
    readonly from: string | null;
  };
  readonly metrics: {
    /** Opens `/metrics` as `Authorization: Bearer <token>`, beside the keys of System Managers; null: those alone. */
    readonly token: string | null;
  };
  /** Origins allowed by CORS; `*` allows any. Empty: no CORS headers. */
  readonly allowCors: readonly string[];
  /** Serve the admin UI at `/app`. */
  readonly adminUi: boolean;
  /** Write a log line per request. */
  readonly logRequests: boolean;
}

export const DEFAULT_CONFIG: Config = {
  port: 8000,
  host: '127.0.0.1',
  trustProxy: [],
  data: 'data',
  database: null,
  files: null,
  apps: ['crm'],
  timeZone: 'UTC',
  timestampPrecision: 'seconds',
  adminPassword: null,
  adminApiKey: null,
  secretKey: null,
  secretKeysOld: [],
  uploads: { maxBytes: LIMITS.fileBytes, defaultPrivate: false, perUserBytes: 0, stripMetadata: true },
  quarantine: { bytes: LIMITS.quarantineBytes },
  downloads: {
    accelRedirect: null,
    sendfile: false,
    linkLife: 7 * 24 * 60 * 60,
    presign: 0,
    thumbnailBytes: 256 * 1024 * 1024,
  },
  lists: {
    maxPageLength: LIMITS.maxPageLength,
    maxBytes: LIMITS.listBytes,
    timeout: LIMITS.queryTimeout,
    slowAfter: 100,
  },
  webhooks: {
    allow: [],
    proxy: null,
    maxRetries: 13,
    backoffBase: 5_000,
    backoffFactor: 4,
    backoffCap: 12 * 60 * 60 * 1000,
    restAfterFailures: 30_000,
    disableAfter: 5 * 24 * 60 * 60 * 1000,
    loopLimit: 20,
    worker: true,
    logDays: 30,
    logBytes: 2 * 1024 * 1024 * 1024,
  },
  signIn: { allow: [] },
  history: { versionDays: 0, deletedDays: 0, activityDays: 0, forgetDeleted: [] },
  auditDays: 365,
  rateLimits: {
    window: 60,
    perKey: 60_000,
    perUser: 120_000,
    perAddress: 30_000,
    logins: 600,
    uploads: 6_000,
  },
  admission: {
    reads: 512,
    lists: 128,
    writes: 512,
    uploads: 64,
    logins: 16,
    patience: 2_000,
    lateness: 1_000,
    unsentPerCaller: 64 * 1024 * 1024,
    unsent: 512 * 1024 * 1024,
  },
  shutdown: { grace: 3_000 },
  siteUrl: null,
  mail: { url: null, from: null },
  metrics: { token: null },
  allowCors: [],
  adminUi: true,
  logRequests: false,
};
