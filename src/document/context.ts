import type { Origin } from '../access/audit.ts';
import { ADMINISTRATOR, type CurrentUser } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Connection, Database } from '../db/database.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import { type Clock, formatTimestamp } from '../kernel/clock.ts';
import type { Observer } from '../kernel/observation.ts';
import type { Random } from '../kernel/random.ts';
import type { Controllers } from './controller.ts';
import type { DocEvent } from './doc-event.ts';
import type { KeyRing } from './seal.ts';

/** Turns what happened in a transaction into more rows of it (webhook deliveries). Runs before the commit. */
export type CommitListener = (ctx: Context) => Promise<void>;

/** What documents need of a running instance; `site/open-site.ts` builds it. */
export interface Site {
  readonly config: Config;
  /** What can change while the site runs; replaced as a whole. The configuration alone decides the rest. */
  readonly settings: LiveSettings;
  readonly database: Database;
  /** The current registry; a context keeps the one it started with. */
  readonly doctypes: DoctypeRegistry;
  readonly controllers: Controllers;
  readonly commitListeners: readonly CommitListener[];
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observer;
  /** What encrypts stored secrets; never in the database. */
  readonly keys: KeyRing;
  /** 32 bytes that cursors and other tokens are made with: the same on all nodes, and for good. */
  readonly secretKey: Buffer;
}

/** Who acts, in which transaction. Passed on, never stored. */
export interface Context {
  readonly site: Site;
  readonly user: CurrentUser;
  /** Where the request came from that this is done for; absent for the system's own work. */
  readonly origin?: Origin;
  /** The transaction's connection, or the reader's in a read context. */
  readonly db: Connection;
  readonly doctypes: DoctypeRegistry;
  /** Acts on the system's own account, see `asSystem`. */
  readonly system?: true;
  /** How many hooks this work is called from, one within the other; 0 for a request. */
  readonly depth: number;
  /** Appended to by the verbs, read by commit listeners. */
  readonly events: DocEvent[];
  /**
   * What `prepare` resolves to: slow work, such as hashing a password, that no transaction should last. The unit is rolled
   * back, the work done, and the unit run again, where the same `key` gives the result. Let its rejection pass.
   * `undo` is for what the work has made outside the database, once, when the unit fails for good.
   */
  beforehand<R>(key: string, prepare: () => Promise<R>, undo?: (made: R) => void | Promise<void>): Promise<R>;
  /** Best effort after the commit; a failure is observed, never reported to the caller. */
  afterCommit(effect: () => void | Promise<void>): void;
  /** Undoes an effect outside the database when the transaction fails. */
  onRollback(undo: () => void | Promise<void>): void;
}

/** A context for reads: committed data, no transaction. */
export function readContext(site: Site, user: CurrentUser, origin?: Origin): Context {
  return {
    site,
    user,
    ...(origin && { origin }),
    db: site.database.reader,
    doctypes: site.doctypes,
    depth: 0,
    events: [],
    beforehand: refuse,
    afterCommit: refuse,
    onRollback: refuse,
  };
}

function refuse(): never {
  throw new Error('a read context has no transaction');
}

/** The same transaction, acting as Administrator: for changes the system makes on its own account. */
export function asSystem(ctx: Context): Context {
  return { ...ctx, user: ADMINISTRATOR, system: true };
}

/** True where code of the server or an app acts and not a client: in a hook, and as the system. */
export function isOwnWork(ctx: Context): boolean {
  return ctx.depth > 0 || ctx.system === true;
}

/** The same, asked by a hook of the document itself: it is one deep when a client acts. */
export function isOwnWorkInHook(ctx: Context): boolean {
  return ctx.depth > 1 || ctx.system === true;
}

/** Now, in the stored form, in the site's time zone. */
export function timestamp(site: Site): string {
  return formatTimestamp(site.clock.micros(), site.config.timeZone);
}
