/**
 * Every boundary's limit in one table. `docs/limits.md` is checked against it.
 * Sizes are bytes, times milliseconds, unless a name says otherwise.
 */
export const LIMITS = {
  /** A JSON or form body. */
  bodyBytes: 25 * 1024 * 1024,
  /** Nesting of a JSON body or JSON parameter. */
  jsonDepth: 32,
  /** Request headers, all together (Node's own limit) and counted. */
  headerBytes: 16 * 1024,
  headerCount: 200,
  /** Fields of a form body. */
  formFields: 1_000,
  /** An `X-Request-Id` accepted from a client. */
  requestIdLength: 64,
  /** Time to send the request head, and the body of a request that is not an upload. */
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
  /**
   * All texts of one document, those of its rows included, in characters. As JSON it is at most six times as
   * long.
   */
  documentLength: 64 * 1024 * 1024,
  /** Rows of all child tables of one document. */
  childRows: 50_000,
  fieldsPerDoctype: 1_000,
  doctypeNameLength: 61,
  fieldnameLength: 61,
  /** What a DocType, or one of its rows, says beyond what Chancery has columns for; bytes of JSON. */
  otherPropertiesBytes: 256 * 1024,
  /** Custom Fields, Property Setters, and Custom DocPerms, of one doctype. */
  customizations: 1_000,
  /** Views that one user saves of a doctype, and bytes of the filters or columns of one. */
  savedViews: 100,
  savedViewBytes: 16 * 1024,
  /** User Permissions of one user. */
  userPermissions: 500,
  /** Duplicates and unfitting values named when a field cannot change. */
  valuesNamed: 5,
  /** Characters of `fields`, `filters`, `or_filters`, `order_by`, `group_by`, `expand` and `include` each, as text or as JSON. */
  queryTextLength: 1024 * 1024,
  /** Filter conditions of one query, values of one `in`, length of a `like` pattern. */
  filterConditions: 100,
  /** Conditions within conditions. */
  filterDepth: 10,
  inValues: 1_000,
  likeLength: 1_000,
  /** Values of one list argument of a method. */
  argumentValues: 1_000,
  selectedFields: 500,
  orderTerms: 20,
  groupTerms: 20,
  /** Fields behind links in `fields` and in `order_by`, links in `expand`, child tables as arrays, and their rows on one page. */
  linkedFields: 20,
  listedTables: 5,
  listedRows: 50_000,
  /** A cursor of a list, and how far `include=count` counts. */
  cursorLength: 4_000,
  countCap: 10_000,
  /** Default page, and the largest page for someone who is not an administrator. */
  pageLength: 20,
  maxPageLength: 10_000,
  /**
   * A list that is held in memory; a longer one is sent in pieces, or refused where that is impossible. The
   * setting `lists.maxBytes` overrides it.
   */
  listBytes: 64 * 1024 * 1024,
  /** The longest text that the JavaScript engine can build, characters. */
  stringLength: 2 ** 29 - 24,
  /** One file; the setting `uploads.maxBytes` overrides it. */
  fileBytes: 25 * 1024 * 1024,
  fileNameLength: 140,
  /** Ranges of one request for a file; more of them are answered with the whole. */
  byteRanges: 20,
  /** How long a thumbnail waits to be made, and how long it is kept; ms. */
  thumbnailPatience: 10_000,
  thumbnailAge: 7 * 24 * 60 * 60_000,
  uploadFields: 50,
  uploadFieldBytes: 1024 * 1024,
  /** Headers of one part of an upload. */
  uploadPartHeaders: 50,
  /** Over each stretch of this time an upload must bring this many bytes per second. */
  uploadIdleTimeout: 30_000,
  uploadRate: 1024,
  /** Over each stretch of this time a client must take this many bytes per second of a reply that waits for it. */
  readerIdleTimeout: 60_000,
  readerRate: 1024,
  /** How long the rest of a refused upload is read and thrown away, so that the client sees the refusal. */
  uploadLinger: 10_000,
  /** An object store: time to connect, to begin an answer, and without anything coming or going. */
  storageConnectTimeout: 3_000,
  storageTimeout: 10_000,
  storageIdleTimeout: 60_000,
  /** How long it is left alone after a failure; calls that wait for it at a time, and connections to it. */
  storagePause: 3_000,
  storageWaiting: 256,
  storageSockets: 1_024,
  /** An image that is made smaller: bytes and pixels of it, milliseconds, how many at the same time, and how many wait. */
  imageBytes: 50 * 1024 * 1024,
  imagePixels: 50_000_000,
  imageTimeout: 10_000,
  imagesAtOnce: 2,
  waitingImages: 32,
  /** Folders within folders below Home, folders that one user made, and what moves along with a folder. */
  folderDepth: 20,
  foldersPerUser: 1_000,
  foldersMoved: 1_000,
  filesMoved: 100_000,
  /** A zip download: files and folders asked for are `argumentValues`; files in it, their bytes. */
  zipFiles: 10_000,
  zipBytes: 10 * 1024 * 1024 * 1024,
  /** Unpacking a zip: entries, bytes of the files made of it, and how many times larger than the archive they are. */
  unzipEntries: 1_000,
  unzipBytes: 1024 * 1024 * 1024,
  unzipRatio: 100,
  /** Uploads in parts: unfinished ones of a user, their bytes together (or two of the largest files), parts of one. */
  partialUploads: 20,
  partialBytes: 1024 * 1024 * 1024,
  partialPieces: 10_000,
  /** How much of one is stored at a time, at most lost when the server is killed. */
  pieceBytes: 8 * 1024 * 1024,
  /** How long one is kept that nobody goes on with; how long a request waits for another one about it. */
  partialAge: 24 * 60 * 60_000,
  partialWait: 30_000,
  listedPartials: 100,
  /** Stored bytes in quarantine: for how long, ms; how many (`quarantine.bytes` overrides it). */
  quarantineAge: 7 * 24 * 60 * 60_000,
  quarantineBytes: 5 * 1024 * 1024 * 1024,
  /** With less free disk, bytes, no deleted files are kept there. */
  quarantineFree: 1024 * 1024 * 1024,
  /** Unknown objects that one collection moves, how many are never too many, and objects a start looks at. */
  collectedAtOnce: 10_000,
  fewUnknown: 10,
  objectsSampled: 1_000,
  /** Documents of one `bulk_update` or `bulk_delete`. */
  bulkItems: 500,
  /** Documents of one `frappe.client.insert_many`, as in Frappe. */
  insertMany: 200,
  /** An `Idempotency-Key`, characters, and how long the reply to it is kept. */
  idempotencyKeyLength: 255,
  idempotencyWindow: 24 * 60 * 60_000,
  /** One transaction, from its first statement to its commit. */
  transactionTimeout: 30_000,
  /** The same for bringing tables in step with definitions, at start and in `chancery migrate`. */
  migrationTimeout: 24 * 60 * 60_000,
  /** Waiting for another process's or transaction's lock; then 503. */
  lockTimeout: 10_000,
  /** Transactions waiting for the one writer of SQLite; more are refused with 503. */
  waitingTransactions: 10_000,
  /** One read outside a transaction; the setting `lists.timeout` overrides it. */
  queryTimeout: 30_000,
  /** Long reads of SQLite at a time, each on a thread, and those waiting; more are refused with 503. */
  scanThreads: 2,
  waitingScans: 64,
  /** Shapes of slow queries that are remembered, and fields named of each. */
  slowQueries: 200,
  slowQueryFields: 20,
  /** Composite indexes of one doctype, and fields of one. */
  indexesPerDoctype: 20,
  indexFields: 6,
  /** Links named in a LinkExistsError. */
  linksNamed: 10,
  /** A message of an error reply, in characters; the rest is cut. */
  errorLength: 2_000,
  /** Problems of one document named in a reply: missing fields, bad values, missing links. */
  problemsNamed: 100,
  /** Hooks that save documents whose hooks save documents. */
  hookDepth: 20,
  /** Names shown of each doctype that links to a document. */
  linkedNames: 20,
  /** Numbers tried when a series' next name is already taken by a renamed document. */
  seriesTries: 100,
  /** Webhook deliveries: one attempt in all, connecting, response bytes read and kept. */
  deliveryTimeout: 15_000,
  deliveryConnectTimeout: 5_000,
  deliveryResponseBytes: 64 * 1024,
  deliveryResponseKept: 16 * 1024,
  /** Bytes of a response's header block; characters of its headers kept in the log. */
  deliveryResponseHeaderBytes: 16 * 1024,
  deliveryResponseHeadersKept: 4096,
  /** A connection to a receiver that nobody uses is closed after this. */
  deliveryIdleTimeout: 30_000,
  /** Largest body of a delivery; a larger document is sent without its fields, with a note. */
  deliveryBodyBytes: 1024 * 1024,
  deliveriesInFlight: 512,
  /** Outcomes of deliveries that wait to be recorded: beyond that no attempt is begun. */
  deliveriesUnrecorded: 2_048,
  /** Attempts at one origin, and connections to it, at a time; origins with connections kept open. */
  deliveriesPerOrigin: 32,
  deliveryOrigins: 256,
  webhookHeaders: 50,
  webhookHeaderBytes: 4096,
  webhookHeadersBytes: 16 * 1024,
  webhookUrlLength: 2_000,
  /** Characters of the certificates, and of the key, that a webhook brings. */
  webhookTlsText: 32 * 1024,
  /** Fields that a webhook watches for changes. */
  webhookWatchedFields: 100,
  webhookRetries: 50,
  /** `rate_limit` and `rate_burst` of a webhook. */
  webhookRate: 1_000_000,
  /** Deliveries sent again or cancelled by one request; tests of one webhook in a minute. */
  deliveriesChosen: 500,
  webhookTests: 10,
  /** A page of the deliveries of a webhook: how many, and bytes of their bodies. */
  pulledDeliveries: 500,
  pulledBytes: 4 * 1024 * 1024,
  /** Figures about deliveries: hours they are of, in all and by the minute; statuses and errors that are named; webhooks side by side. */
  statsHours: 720,
  statsMinuteHours: 6,
  statsDetails: 20,
  overviewHours: 168,
  overviewWebhooks: 1_000,
  /** A delivery due for longer while none is tried: webhooks are stuck. Longer than receivers that fail are left alone. */
  deliveriesLate: 15 * 60_000,
  /** Replaced secrets of a webhook that go on beside the new one. */
  webhookFormerSecrets: 4,
  /** Deliveries that may have led to one of a webhook among them, each by a change made on receiving the one before. */
  webhookChain: 8,
  /** Webhooks that a chain names, the latest; characters of a chain that a request passes on. */
  webhookChainMembers: 32,
  webhookChainLength: 2_000,
  /** Documents whose changes a process counts to find circles of deliveries and changes, for each webhook. */
  watchedForLoops: 10_000,
  passwordLength: 512,
  /** OAuth: addresses of a client, characters of one, and of a `state`; grants of one user at a time. */
  oauthRedirectUris: 20,
  oauthUriLength: 2_000,
  oauthStateLength: 2_000,
  oauthGrantsPerUser: 100,
  /** How long its codes, access tokens, and refresh tokens that nobody uses, hold. */
  oauthCodeLife: 60_000,
  oauthAccessLife: 60 * 60_000,
  oauthRefreshLife: 30 * 24 * 60 * 60_000,
  /** What a provider that users sign in with may answer, bytes. */
  providerResponseBytes: 256 * 1024,
  /** Sessions of one user; what is kept of a browser's name for itself. */
  sessionsPerUser: 100,
  userAgentLength: 300,
  /** A session unused for so long, or so old, ends; settings override both. */
  sessionIdle: 24 * 60 * 60_000,
  sessionLife: 30 * 24 * 60 * 60_000,
  /** Tries to sign in before waiting, and the first wait; settings override both. Each further one is twice as long. */
  loginAttempts: 10,
  loginDelay: 60_000,
  loginDelayMost: 15 * 60_000,
  /** Tries beyond `loginAttempts` that may be under way while it is not known whether they fail. */
  loginsUndecided: 32,
  /** How long after the password the code of the second factor may come. */
  secondFactorTime: 5 * 60_000,
  /** Mails with a link for a new password: to one user in an hour, and how long the link opens; settings override both. */
  passwordResets: 3,
  resetLinkLife: 60 * 60_000,
  /** Mails waiting to be sent, and how long sending one may take. */
  waitingMails: 100,
  mailTimeout: 30_000,
  /** API keys of one user; doctypes and methods, and addresses, that one is for; characters of its label. */
  apiKeys: 100,
  keyScopes: 100,
  keyAddresses: 100,
  keyLabelLength: 140,
  /** How long a replaced secret of a key may go on, hours. */
  keyOverlapHours: 168,
  /** Text of a version, in characters; one of more rows remembers only which rows changed. */
  versionLength: 4 * 1024 * 1024,
  /** Marks of one document: tags, characters of a tag, users it is assigned to, users who like it. */
  tags: 100,
  tagLength: 140,
  assignees: 100,
  likes: 1_000,
  /** The audit log: characters of a user agent and of the details, kinds of refusals told apart in a minute. */
  auditAgentLength: 256,
  auditDetailsLength: 4_000,
  auditKinds: 30,
  /** A list of more rows is an export to the audit log. */
  exportRows: 1_000,
  /** Rows that retention deletes in one transaction. */
  pruneBatch: 500,
  /** Secrets that a rotation of keys encrypts anew in one transaction. */
  rotateBatch: 200,
  /** An expression: characters, parts, parentheses within parentheses. */
  expressionLength: 1_000,
  expressionNodes: 200,
  expressionDepth: 32,
  /** One evaluation of it: steps, and characters of a text that it searches, joins or changes. */
  expressionSteps: 10_000,
  expressionText: 10_000,
  /** A template: characters, parts, blocks within blocks; of one rendering: steps, and characters of a text it works on. */
  templateLength: 64 * 1024,
  templateParts: 2_000,
  templateDepth: 10,
  templateSteps: 250_000,
  templateText: 100_000,
  /** `<`, `>` and `&` in all texts of one document that hold HTML, and tags within tags. */
  htmlMarks: 100_000,
  htmlDepth: 500,
  /** OpenAPI documents kept in memory, one for each set of roles that asked. */
  apiDocuments: 32,
  /** Streams of `/api/events`: on one node, of one user, doctypes and documents of one. */
  eventStreams: 2_000,
  eventStreamsPerUser: 32,
  eventDoctypes: 20,
  eventNames: 100,
  /** How long one lasts, how often it shows that it lives, and asks whether its user is still let in. */
  eventStreamAge: 60 * 60_000,
  eventHeartbeat: 15_000,
  eventCheck: 5_000,
  /** A client that takes nothing for this long is let go. */
  eventStall: 45_000,
  /** The change feed: how long changes can be heard of later, how many are kept, JSON characters of a deleted document. */
  changeAge: 60 * 60_000,
  changesKept: 100_000,
  changeSnapshot: 64 * 1024,
  /** How often other nodes' changes are looked for. */
  changePoll: 250,
  /** Rate limits: callers of each kind remembered, at least, and at most twice as many. */
  rateLimitCallers: 10_000,
  /** What an authentication that failed counts as. */
  failedAuthenticationCost: 10,
  /** Requests that stand in line, and are not refused, when the event loop is late. */
  heldWhenLate: 1_000,
  /** How many of them are begun in one turn of the loop. */
  begunInOneTurn: 16,
  /**
   * A server that stops: time for the requests that have come, for a connection without a first byte, and for what remains
   * after the requests. A signal that comes again within the last one is the same.
   */
  stopDrain: 10_000,
  stopSilence: 1_000,
  stopClose: 5_000,
  signalRepeat: 500,
  /** Lines of the log that wait while they cannot be written, in characters. */
  logBacklog: 1024 * 1024,
} as const;
