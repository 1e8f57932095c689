import type { Provenance } from '../access/audit.ts';
import type { KeyRing } from '../access/seal.ts';
import type { CurrentUser } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Connection, Database } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import type { KnownArguments } from '../doctype/arguments.ts';
import type { ChildRow, DoctypeRegistry, Document, Right } from '../doctype/doctype.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Jobs } from '../kernel/jobs.ts';
import type { Observer } from '../kernel/observation.ts';
import type { Random } from '../kernel/random.ts';
import type { Fields, FieldValue } from '../kernel/value.ts';
import type { SpanMaker } from '../observe/tracing.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Change } from './change.ts';
import type { DocEvent } from './doc-event.ts';

/** The services that documents need; `site/start/open-site.ts` builds them. */
export interface Site {
  /** Absent or null: no tracing. */
  readonly tracing?: SpanMaker | null;
  readonly config: Config;
  /**
   * Settings that can change while the site runs; replaced as a whole. All others come from the configuration
   * alone.
   */
  readonly settings: LiveSettings;
  readonly database: Database;
  /** The current registry; a context keeps the one of its start. */
  readonly doctypes: DoctypeRegistry;
  readonly controllers: Controllers;
  /** The same without the hooks of apps, for imports that switch them off. */
  readonly controllersWithoutHooks: Controllers;
  readonly commitListeners: readonly CommitListener[];
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observer;
  /** The periodic jobs of this process. */
  readonly jobs: Jobs;
  /** Encrypts stored secrets; never in the database. */
  readonly keys: KeyRing;
  /** 32 bytes that sign cursors and other tokens: the same on all nodes, until a restore. */
  readonly secretKey: Buffer;
  /** Distinguishes a restored site from its past, in ETags; null before a restore. */
  readonly restored: string | null;
  /**
   * Drops what this process and the other workers of its server keep of this kind. Await it after the commit of
   * such a change and before the reply: then every worker sees the change.
   */
  dropCaches(kind: CacheKind): Promise<void>;
}

/** What each process of a server keeps of the database: rights and credentials, doctypes and settings, naming rules. */
export type CacheKind = 'users' | 'definitions' | 'naming rules';

/** Turns events of a transaction into more rows of it (webhook deliveries). Runs before the commit. */
export interface CommitListener {
  (ctx: Context): Promise<void>;
  /** Called before the first statement of a change of such a document: a question may travel with it. */
  foresee?(ctx: Context, doctypeName: string): void;
}

/** The acting user and the transaction. Passed on, never stored. */
export interface Context {
  readonly site: Site;
  readonly user: CurrentUser;
  /** The provenance of the request; absent for the system's own work. */
  readonly origin?: Provenance;
  /** The transaction's connection, or the reader's in a read context. */
  readonly db: Connection;
  readonly doctypes: DoctypeRegistry;
  /** True for work of the system itself, see `asSystem`. */
  readonly system?: true;
  /** The number of nested hooks around this work; 0 for a request. */
  readonly depth: number;
  /** The verbs append to it, commit listeners read it. */
  readonly events: DocEvent[];
  /**
   * The result of `prepare`: slow work, such as hashing a password, that must not run inside a transaction.
   * The unit is rolled back, the work done, and the unit run again; the same `key` then gives the result. Do
   * not catch its rejection. `undo` removes effects of the work outside the database, once, when the unit
   * fails for good.
   */
  beforehand<R>(key: string, prepare: () => Promise<R>, undo?: (made: R) => void | Promise<void>): Promise<R>;
  /** Runs after the commit, best effort; a failure is logged, never reported to the caller. */
  afterCommit(effect: () => void | Promise<void>): void;
  /** After the commit, and before the reply: `Site.dropCaches`. */
  dropCaches(kind: CacheKind): void;
  /**
   * Undoes an effect outside the database when the transaction fails. It also runs when the outcome of the commit
   * is unknown, so it must do no harm after a commit.
   */
  onRollback(undo: () => void | Promise<void>): void;
}

/** A hook: may change `doc` (before the rows are written), read and write through `ctx`, or throw to refuse. */
export type Hook = (doc: Document, ctx: Context, change: Change) => void | Promise<void>;

/** Filters as a list takes them: triples, an object of values, or conditions joined by "and" and "or". */
export type RowConditions = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * App code for the events of a document's life. camelCase here, snake_case on the wire: `onSubmit` is
 * `on_submit`.
 */
export interface Controller extends VirtualSource {
  beforeInsert?: Hook;
  /** May set `doc.name` of a new document without a name. */
  autoname?: Hook;
  beforeValidate?: Hook;
  validate?: Hook;
  beforeSave?: Hook;
  beforeSubmit?: Hook;
  beforeCancel?: Hook;
  beforeUpdateAfterSubmit?: Hook;
  afterInsert?: Hook;
  onUpdate?: Hook;
  onSubmit?: Hook;
  onCancel?: Hook;
  onUpdateAfterSubmit?: Hook;
  onTrash?: Hook;
  afterDelete?: Hook;
  onChange?: Hook;
  /**
   * `doc` has the new name, `change.before` the old; may set another `doc.name`. Action `merge`: `doc` is the
   * target.
   */
  beforeRename?: Hook;
  /** Runs after every reference has moved. */
  afterRename?: Hook;
  /**
   * Of the doctype File: an upload has created the document `file`, by `upload_file`, `attach_file` or a
   * resumable upload; an exception undoes it. Files created in other ways, such as attach fields and copies,
   * only run `afterInsert`.
   */
  afterFileUpload?: (file: Document, ctx: Context) => void | Promise<void>;
  /**
   * Values of fields with `is_virtual`, by fieldname, computed whenever a single document is shown, never in
   * lists. For a child doctype the document is the row. Also runs on reads, where `ctx` has no transaction.
   */
  virtualFields?: Readonly<
    Record<string, (doc: Document | ChildRow, ctx: Context) => FieldValue | Promise<FieldValue>>
  >;
  /**
   * Methods that clients may call as `run_method` of a document, by name. Clients can call nothing else of a
   * controller.
   */
  documentMethods?: Readonly<Record<string, DocumentMethod>>;
  /**
   * Narrows a right that roles give to one document; false refuses it. Called by every verb after the check
   * of roles.
   */
  hasPermission?: (ctx: Context, doc: Document, right: Right) => boolean | Promise<boolean>;
  /**
   * The documents that this user may see and work on, as filters in any shape that lists take, on any field
   * of the doctype; null means every document. Lists compile it into their statement, and checks of one
   * document apply it too. Chancery's own controllers return a condition on unqualified columns instead, and
   * repeat it in `hasPermission`.
   */
  rowFilter?: (ctx: Context) => RowConditions | Sql | null;
}

/** Controllers by doctype name; `*` applies to every doctype, after the doctype's own. */
export type Controllers = ReadonlyMap<string, readonly Controller[]>;

/** HTTP methods that a method may allow; HEAD follows GET. */
export type MethodVerb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A function that clients may call at `/api/method/<name>`; made by `defineMethod`. */
export interface Method {
  /** A method that answers only GET runs without a transaction; every other call is one unit of work. */
  readonly http: readonly MethodVerb[];
  /** Callable without credentials. Permission checks inside still see the user Guest. */
  readonly allowGuest: boolean;
  /**
   * Users with one of these roles may call it, and Administrator; empty: every user whom `allowGuest` admits.
   */
  readonly roles: readonly string[];
  /** The result holds a key, secret or token, so that its reply is never compressed. */
  readonly confidential: boolean;
  /** A description for readers. */
  readonly description: string;
  /** The declared arguments; `any` accepts all, unchecked. */
  readonly args: KnownArguments | 'any';
  /** Resolves to the value of `message` in the reply. Checks `args`, the request's parameters as sent. */
  run(ctx: Context, args: Fields): Promise<unknown>;
}

/** An HTTP method that a document method may allow. */
export type DocumentVerb = 'GET' | 'POST';

/** A method of one document that clients may call; made by `defineDocumentMethod`. */
export interface DocumentMethod extends Pick<Method, 'description' | 'args'> {
  /** GET needs the right to read and has no transaction, POST the right to write. */
  readonly http: readonly DocumentVerb[];
  /** Checks `args`, the request's parameters as sent. Only `updateDocument` stores changes to `doc`. */
  run(doc: Document, ctx: Context, args: Fields): Promise<unknown>;
}

/** Rows of a list that apply the whole query already, and the total on all pages. */
export interface VirtualPage {
  readonly rows: readonly Fields[];
  readonly count: number;
}

type Maybe<T> = T | Promise<T>;

/**
 * The source of documents of a virtual doctype: these members of its controller. Documents are plain objects
 * of fields with a `name`; absent fields are unset, child tables are arrays of such objects. Permissions,
 * field levels, hooks and checks apply as for any doctype. The three members that write run in the
 * transaction of the request and may run again: put effects outside the database into `ctx.afterCommit`.
 */
export interface VirtualSource {
  /**
   * The documents that `ctx.user` may see. Either an array, which the server filters, orders and cuts (it may
   * be reduced by `query` already), or a page that applies every part of `query` itself.
   */
  list?: (ctx: Context, query: ListQuery) => Maybe<readonly Fields[] | VirtualPage>;
  /** The document of this name; null when there is none. */
  read?: (ctx: Context, name: string) => Maybe<Fields | null>;
  /** Stores a new document. The server takes over the values it returns, such as a `name` from the store. */
  create?: (ctx: Context, doc: Document, change: Change) => Maybe<Fields | undefined>;
  /** Stores a changed document; `change.before` is the former state. */
  update?: (ctx: Context, doc: Document, change: Change) => Maybe<Fields | undefined>;
  delete?: (ctx: Context, doc: Document, change: Change) => Maybe<void>;
}
