import { BACKUP_LIMITS } from './backup-limits.ts';
import { DISK_LIMITS } from './disk-limits.ts';
import { FILE_LIMITS } from './file-limits.ts';
import { IMPORT_LIMITS } from './import-limits.ts';
import { WEBHOOK_LIMITS } from './webhook-limits.ts';

/**
 * The limits of all boundaries. A test checks `docs/limits.md` against it. Sizes are bytes and times are
 * milliseconds, unless a name says otherwise.
 */
export const LIMITS = {
  ...BACKUP_LIMITS,
  ...DISK_LIMITS,
  ...FILE_LIMITS,
  ...IMPORT_LIMITS,
  ...WEBHOOK_LIMITS,
  /** A JSON or form body. */
  bodyBytes: 25 * 1024 * 1024,
  /** Nesting depth of a JSON body or JSON parameter. */
  jsonDepth: 32,
  /** Size (Node's own limit) and number of request headers. */
  headerBytes: 16 * 1024,
  headerCount: 200,
  /** Fields of a form body, a multipart one too. */
  formFields: 1_000,
  /** Bytes from which a reply is compressed, and bytes up to which that is done without a thread. */
  compressBytes: 1_000,
  compressInPlace: 64 * 1024,
  /** Such replies that threads compress at once; each takes megabytes beside its text. Node has four threads. */
  compressedAtOnce: 4,
  /** An `X-Request-Id` from a client, in characters. */
  requestIdLength: 64,
  /** Time to send the request head, and the body of a request other than an upload. */
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 72_000,
  connections: 10_000,
  /** A document's name, in code points. */
  nameLength: 140,
  /** Data-like fields without a `length` of their own, in code points. */
  dataLength: 140,
  /** Text, code and JSON fields, in bytes of UTF-8. */
  textBytes: 16 * 1024 * 1024,
  /** All texts of one document and its rows, in characters. Their JSON is at most six times as long. */
  documentLength: 64 * 1024 * 1024,
  /** Rows of all child tables of one document. */
  childRows: 50_000,
  fieldsPerDoctype: 1_000,
  doctypeNameLength: 61,
  fieldnameLength: 61,
  /** Properties of a DocType or one of its rows without a column in Chancery; bytes of JSON. */
  otherPropertiesBytes: 256 * 1024,
  /** Custom Fields, Property Setters and Custom DocPerms, each per doctype. */
  customizations: 1_000,
  /** Permission rows that one save changes. */
  permissionChanges: 500,
  /** Views that one user saves for a doctype, and bytes of one view's filters, columns or settings. */
  savedViews: 100,
  savedViewBytes: 16 * 1024,
  /** Cards of one dashboard; each is a request of its viewer. */
  dashboardCards: 24,
  /** User Permissions of one user. */
  userPermissions: 500,
  /** Duplicates and invalid values that an error names when a field cannot change. */
  valuesNamed: 5,
  /**
   * Characters of each of `fields`, `filters`, `or_filters`, `order_by`, `group_by`, `expand` and `include`, as
   * text or as JSON.
   */
  queryTextLength: 1024 * 1024,
  /** Filter conditions of one query, values of one `in`, length of a `like` pattern. */
  filterConditions: 100,
  /** Nesting depth of conditions. */
  filterDepth: 10,
  inValues: 1_000,
  likeLength: 1_000,
  /** Values of one list argument of a method. */
  argumentValues: 1_000,
  /**
   * A search over all doctypes: characters and words of its text, doctypes, documents of all of them together
   * that are looked at, matches that are ranked and fields of each doctype, results, characters of a value.
   */
  globalSearchText: 140,
  globalSearchWords: 5,
  globalSearchDoctypes: 200,
  globalSearchRows: 100_000,
  globalSearchCandidates: 100,
  globalSearchFields: 10,
  globalSearchResults: 100,
  globalSearchValue: 200,
  selectedFields: 500,
  orderTerms: 20,
  groupTerms: 20,
  /**
   * Linked fields in `fields` and in `order_by`, links in `expand`, child tables as arrays, and their rows on
   * one page.
   */
  linkedFields: 20,
  listedTables: 5,
  listedRows: 50_000,
  /** The length of a list cursor, and the highest count of `include=count`. */
  cursorLength: 4_000,
  countCap: 10_000,
  /** The default page, and the largest page for users other than administrators. */
  pageLength: 20,
  maxPageLength: 10_000,
  /**
   * A list held in memory. A longer list is streamed, or refused where streaming is impossible. The setting
   * `lists.maxBytes` overrides it.
   */
  listBytes: 64 * 1024 * 1024,
  /** The longest text that the JavaScript engine can build, in characters. */
  stringLength: 2 ** 29 - 24,
  /** Documents in one `bulk_update` or `bulk_delete`, or of one call that assigns or tags several. */
  bulkItems: 500,
  /** Definitions in one `chancery.load_doctypes`. */
  doctypesAtOnce: 2_000,
  /** New child doctypes in one `chancery.save_design`. */
  designChildren: 20,
  /** Documents in one `frappe.client.insert_many`, as in Frappe. */
  insertMany: 200,
  /** The length of an `Idempotency-Key` in characters, and how long its reply is stored. */
  idempotencyKeyLength: 255,
  idempotencyWindow: 24 * 60 * 60_000,
  /** One transaction, from its first statement to its commit. */
  transactionTimeout: 30_000,
  /**
   * The reply to a commit of PostgreSQL. If it takes longer, the connection counts as lost. After that, the time
   * to find out whether the commit was made. Then 504 OutcomeUnknownError.
   */
  commitTimeout: 5_000,
  outcomeTimeout: 10_000,
  /** A transaction that brings tables in line with definitions, at start and in `chancery migrate`. */
  migrationTimeout: 24 * 60 * 60_000,
  /** A migration tells its progress for tables with so many rows. */
  migrationTold: 10_000,
  /** The silence of a process that holds the counter of a series, on PostgreSQL; then its transaction is undone. */
  contendedIdle: 3_000,
  /** How far a replica that answers reads may be behind the primary; and how long it may keep a read waiting. */
  replicaStaleness: 10_000,
  replicaPatience: 1_000,
  /** An `X-Chancery-Position` from a client, in characters; a longer one counts as none. */
  positionLength: 64,
  /** The time without an answer from PostgreSQL on any connection, until it counts as silent; then 503. */
  databaseSilence: 3_000,
  /** The wait for a lock of another process or transaction; then 503. */
  lockTimeout: 10_000,
  /** Transactions waiting for SQLite's one writer; more are refused with 503. */
  waitingTransactions: 10_000,
  /** One read outside a transaction; the setting `lists.timeout` overrides it. */
  queryTimeout: 30_000,
  /** One read of a plan of changes, which counts the rows of large tables. */
  planTimeout: 86_400_000,
  /** Concurrent long reads of SQLite, each on a thread, and waiting ones; more are refused with 503. */
  scanThreads: 2,
  waitingScans: 64,
  /** Shapes of slow queries that are stored, and fields named per shape. */
  slowQueries: 200,
  slowQueryFields: 20,
  /** Recent errors that a process remembers, and characters of the message and the stack of one. */
  recentErrors: 200,
  recentErrorMessage: 2_000,
  recentErrorStack: 8_000,
  /** Servers of a database that are listed. */
  nodesShown: 100,
  /** Composite indexes of one doctype, and fields of one index. */
  indexesPerDoctype: 20,
  indexFields: 6,
  /** A table up to this size gets an index in the transaction that asks for it; bytes. PostgreSQL only. */
  indexedAtOnce: 16 * 1024 * 1024,
  /** Links named in a LinkExistsError. */
  linksNamed: 10,
  /** Documents that one transaction empties and deletes by the `on_delete` of their links. */
  linkedChanges: 200,
  /** An error message in a reply, in characters; the rest is truncated. */
  errorLength: 2_000,
  /** Problems of one document in a reply: missing fields, invalid values, broken links. */
  problemsNamed: 100,
  /** Nesting depth of hooks that save documents with hooks. */
  hookDepth: 20,
  /** Names shown per doctype that links to a document. */
  linkedNames: 20,
  /** Numbers tried when the next name of a series is taken by a renamed document. */
  seriesTries: 100,
  passwordLength: 512,
  /**
   * OAuth: redirect URIs of a client, characters of a URI and of a `state`, and concurrent grants of one
   * user.
   */
  oauthRedirectUris: 20,
  oauthUriLength: 2_000,
  oauthStateLength: 2_000,
  oauthGrantsPerUser: 100,
  /** Lifetimes of codes, access tokens and unused refresh tokens. */
  oauthCodeLife: 60_000,
  oauthAccessLife: 60 * 60_000,
  oauthRefreshLife: 30 * 24 * 60 * 60_000,
  /** A response of a sign-in provider, in bytes. */
  providerResponseBytes: 256 * 1024,
  /** Sessions of one user, and characters of a stored user agent. */
  sessionsPerUser: 100,
  userAgentLength: 300,
  /** Idle timeout and maximum age of a session; settings override both. */
  sessionIdle: 24 * 60 * 60_000,
  sessionLife: 30 * 24 * 60 * 60_000,
  /**
   * Sign-in attempts before a wait, and the first wait; settings override both. Each further wait is twice as
   * long.
   */
  loginAttempts: 10,
  loginDelay: 60_000,
  loginDelayMost: 15 * 60_000,
  /** Undecided attempts in flight beyond `loginAttempts`. */
  loginsUndecided: 32,
  /** Time between the password and the code of the second factor. */
  secondFactorTime: 5 * 60_000,
  /** Password reset mails to one user in an hour, and the lifetime of their link; settings override both. */
  passwordResets: 3,
  resetLinkLife: 60 * 60_000,
  /** Mails in the queue, and the timeout of sending one. */
  waitingMails: 100,
  mailTimeout: 30_000,
  /** API keys of one user; doctypes, methods and addresses of one key; characters of its label. */
  apiKeys: 100,
  keyScopes: 100,
  keyAddresses: 100,
  keyLabelLength: 140,
  /** How long a replaced secret of a key may stay valid, in hours. */
  keyOverlapHours: 168,
  /** The text of a version, in characters. A longer version stores only which rows changed. */
  versionLength: 4 * 1024 * 1024,
  /** Per document: tags, characters of a tag, assigned users, and likes. */
  tags: 100,
  tagLength: 140,
  assignees: 100,
  likes: 1_000,
  /**
   * Users that a comment mentions, that are offered for it, and that are looked at; followers of a document, and
   * documents that a user follows. A process remembers for `followersAge` that a doctype has none.
   */
  mentions: 20,
  mentionable: 8,
  mentionCandidates: 50,
  followers: 100,
  follows: 1_000,
  followersAge: 1_000,
  /**
   * How long a user counts as a viewer of a document without saying so again; documents that a user views at once;
   * viewers of a document that are named, and counted.
   */
  viewTime: 45_000,
  viewsPerUser: 20,
  viewersShown: 20,
  viewersCounted: 100,
  /** Notifications: kept per user, their age in days, of one list, and the highest count of unread ones. */
  notificationsKept: 500,
  notificationDays: 90,
  notificationsListed: 100,
  unreadShown: 100,
  /** Suggested tags: the documents that they are read from, and their number. */
  tagSources: 1_000,
  tagSuggestions: 100,
  /**
   * The audit log: characters of a user agent and of the details, and kinds of refusals counted separately in
   * a minute.
   */
  auditAgentLength: 256,
  auditDetailsLength: 4_000,
  auditKinds: 30,
  /** The audit log records a list with more rows as an export. */
  exportRows: 1_000,
  /** Rows that retention deletes in one transaction. */
  pruneBatch: 500,
  /** Secrets that a key rotation encrypts again in one transaction. */
  rotateBatch: 200,
  /** An expression: characters, nodes, and nesting depth of parentheses. */
  expressionLength: 1_000,
  expressionNodes: 200,
  expressionDepth: 32,
  /** One evaluation of an expression: steps, and characters of a text that it searches, joins or changes. */
  expressionSteps: 10_000,
  expressionText: 10_000,
  /**
   * A template: characters, nodes, and nesting depth of blocks. One rendering: steps, and characters of a
   * text it processes.
   */
  templateLength: 64 * 1024,
  templateParts: 2_000,
  templateDepth: 10,
  templateSteps: 250_000,
  templateText: 100_000,
  /** `<`, `>` and `&` in all HTML texts of one document, and nesting depth of tags. */
  htmlMarks: 100_000,
  htmlDepth: 500,
  /** OpenAPI documents in the cache, one per set of roles. */
  apiDocuments: 32,
  /** Streams of `/api/events`: per node, per user, and doctypes and documents of one stream. */
  eventStreams: 2_000,
  eventStreamsPerUser: 32,
  eventDoctypes: 20,
  eventNames: 100,
  /**
   * The lifetime of a stream, the interval of its heartbeats, and the interval of checks of its user's
   * access.
   */
  eventStreamAge: 60 * 60_000,
  eventHeartbeat: 15_000,
  eventCheck: 5_000,
  /** A client that reads nothing for this long is disconnected. */
  eventStall: 45_000,
  /** The change feed: retention and number of changes, and JSON characters of a deleted document. */
  changeAge: 60 * 60_000,
  changesKept: 100_000,
  changeSnapshot: 64 * 1024,
  /** The interval of polling for other nodes' changes. */
  changePoll: 250,
  /** Rate limits: the least number of callers remembered per kind. The most is twice as many. */
  rateLimitCallers: 10_000,
  /** The cost of a failed authentication. */
  failedAuthenticationCost: 10,
  /** Requests that are queued, and not refused, when the event loop is late. */
  heldWhenLate: 1_000,
  /** Time in which queued requests start before the event loop reads new input. */
  workOfOneTurn: 10,
  /**
   * Shutdown: time for the requests in flight, for a connection without a first byte, and for everything
   * after the requests. A repeated signal within the last one counts as the same signal.
   */
  stopDrain: 10_000,
  stopSilence: 1_000,
  stopClose: 5_000,
  signalRepeat: 500,
  /** The longest wait of a stop for the OpenTelemetry collector: for metrics, and again for spans. */
  telemetryFlush: 2_000,
  /**
   * A newer version needs its servers alone: older ones accept changes for the first of these times, so that
   * balancers can find out, and the newer one waits for the second before it changes the tables. Milliseconds.
   */
  fenceGrace: 3_000,
  fenceWait: 6_000,
  /**
   * A worker of several: the longest wait for its answer to another worker, the time after which its end is no
   * failed start, and failed starts in a row of every worker after which the server ends.
   */
  workerAnswer: 5_000,
  workerSteady: 10_000,
  workerStarts: 8,
  /** Log lines waiting while the log cannot be written, in characters. */
  logBacklog: 1024 * 1024,
} as const;
