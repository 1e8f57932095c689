import type { CommitListener, Site } from '../document/contract.ts';
import type { Loaded } from '../document/document.ts';
import { JOBS } from '../kernel/jobs.ts';
import { LIMITS } from '../kernel/limits.ts';
import { waited } from '../kernel/wait.ts';
import { changeListener } from './change-listener.ts';
import { type Change, changesAfter, loadHorizon } from './changes.ts';
import { Followed } from './followed.ts';
import { isAfter, type Position } from './position.ts';
import { dropForeignChanges, pruneChanges } from './prune-changes.ts';

type FeedSite = Pick<Site, 'clock' | 'database' | 'observe' | 'jobs'>;

/** Changes read from the database at a time, and cached for all up-to-date listeners. */
const PAGE = 500;
const KEPT = 1_000;
/** The reader polls again after this time while a change is about to become readable; milliseconds. */
const SOON = 10;
/** Listeners that hear of the same change within this time share one read of the document; milliseconds. */
const SHARED = 250;

/** The known changes after a position. */
export interface Heard {
  readonly changes: readonly Change[];
  readonly through: Position;
}

/**
 * The change feed of documents for listeners. One reader per process polls the database: after this process's
 * own commits, and otherwise a few times a second. Polling also finds changes of other nodes, needs no
 * connection of its own, and works behind a pooler, unlike LISTEN.
 */
export class ChangeFeed {
  readonly listener: CommitListener;
  readonly #site: FeedSite;
  readonly #followed: Followed;
  readonly #pruning = new AbortController();
  #readers = 0;
  #reading: Promise<void> = Promise.resolve();
  /** `#recent` contains all changes after `#from`, up to `#at`. */
  #recent: Change[] = [];
  #from: Position = { tx: 0, id: 0 };
  #at: Position = { tx: 0, id: 0 };
  #asked = Promise.withResolvers<void>();
  #news = Promise.withResolvers<void>();
  readonly #loads = new WeakMap<Change, { readonly at: number; readonly loaded: Promise<Loaded | null> }>();

  constructor(site: FeedSite) {
    this.#site = site;
    this.#followed = new Followed(site);
    this.listener = changeListener(this.#followed, () => this.#asked.resolve());
  }

  /**
   * Takes over the changes recorded by the previous process, and trims the feed if this process is to. A `tool` beside
   * a running server skips this.
   */
  async start(tool: boolean, trims = true): Promise<() => Promise<void>> {
    await this.#followed.load();
    if (tool) return async () => {};
    await dropForeignChanges(this.#site);
    const pruning = trims && this.#prune(this.#pruning.signal);
    return async () => {
      this.#pruning.abort();
      this.#readers = Number.NEGATIVE_INFINITY;
      this.#asked.resolve();
      await Promise.all([pruning, this.#reading]);
    };
  }

  /** Records changes of these doctypes for an hour from now on. Renew it well before that. */
  follow(doctypes: ReadonlySet<string>): Promise<void> {
    return this.#followed.follow(doctypes);
  }

  /**
   * The start position for a listener that has just read the documents. Call it after `follow`.
   * @throws ServiceError ServiceUnavailableError when an older transaction takes too long
   */
  now(doctypes: ReadonlySet<string>): Promise<Position> {
    return this.#followed.now(doctypes);
  }

  /** True when the feed has every change after `position`. Call it after `follow`. */
  async reaches(position: Position, doctypes: ReadonlySet<string>): Promise<boolean> {
    const since = await this.#followed.since(doctypes);
    // A position in the future belongs to another database, or to this one before a restore.
    return since !== null && !isAfter(since, position) && !isAfter(position, await this.#furthest());
  }

  /** Keeps the reader running until the returned function is called. */
  join(): () => void {
    this.#readers += 1;
    if (this.#readers === 1) this.#reading = this.#reading.then(() => this.#read());
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#readers -= 1;
      this.#asked.resolve();
    };
  }

  /**
   * The changes after `position`; null when the feed no longer has all of them. Call it between `join` and
   * its end.
   */
  async after(position: Position, doctypes: ReadonlySet<string>): Promise<Heard | null> {
    if (!isAfter(this.#from, position)) {
      if (!isAfter(this.#at, position)) return { changes: [], through: position };
      const changes = this.#recent.filter(
        (change) => isAfter(change.position, position) && doctypes.has(change.doctype),
      );
      return { changes, through: this.#at };
    }
    const page = await changesAfter(this.#site.database.reader, position, PAGE, doctypes);
    // Checked after the read: a page truncated before the read shows up here.
    const since = await this.#followed.since(doctypes);
    return since === null || isAfter(since, position) ? null : page;
  }

  /** Resolves when there may be changes after `position`, or when `signal` aborts. */
  async news(position: Position, signal: AbortSignal): Promise<void> {
    const last = this.#recent.at(-1);
    if (isAfter(this.#from, position) || (last && isAfter(last.position, position))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    if (!signal.aborted) await Promise.race([promise, this.#news.promise]);
    signal.removeEventListener('abort', stop);
  }

  /** The document's current state, or a cached one that is no older than `change`. */
  load(change: Change, load: () => Promise<Loaded | null>): Promise<Loaded | null> {
    const known = this.#loads.get(change);
    const at = performance.now();
    if (known && at - known.at < SHARED) return known.loaded;
    const loaded = load();
    this.#loads.set(change, { at, loaded });
    return loaded;
  }

  async #horizon(): Promise<Position> {
    return (await loadHorizon(this.#site.database.reader)).through;
  }

  async #furthest(): Promise<Position> {
    const through = await this.#horizon();
    return isAfter(this.#at, through) ? this.#at : through;
  }

  async #read(): Promise<void> {
    let isPlaced = false;
    while (this.#readers > 0) {
      let pause: number = LIMITS.changePoll;
      try {
        if (!isPlaced) {
          this.#at = this.#from = await this.#horizon();
          this.#recent = [];
          isPlaced = true;
          this.#tell();
        }
        this.#asked = Promise.withResolvers();
        const { changes, through, isMore } = await changesAfter(this.#site.database.reader, this.#at, PAGE);
        this.#keep(changes, through);
        if (isMore) pause = changes.length === PAGE ? 0 : SOON;
      } catch (error) {
        this.#site.observe({ kind: 'unexpected', where: 'reading the change feed', error });
      }
      if (this.#readers > 0) await within(pause, this.#asked.promise);
    }
  }

  #keep(changes: readonly Change[], through: Position): void {
    this.#at = through;
    if (changes.length === 0) return;
    this.#recent.push(...changes);
    const dropped = this.#recent.splice(0, Math.max(0, this.#recent.length - KEPT)).at(-1);
    if (dropped) this.#from = dropped.position;
    this.#tell();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const job = this.#site.jobs.job('trim_change_feed');
    while (await job.due(JOBS.trim_change_feed, signal)) {
      try {
        await job.run(() => this.#pruneAll(signal));
      } catch (error) {
        this.#site.observe({ kind: 'unexpected', where: 'trimming the change feed', error });
      }
    }
  }

  async #pruneAll(signal: AbortSignal): Promise<number> {
    let total = 0;
    while (!signal.aborted) {
      const deleted = await pruneChanges(this.#site);
      if (deleted === 0) break;
      total += deleted;
      await waited(SOON, signal);
    }
    return total;
  }
}

async function within(millis: number, promise: Promise<void>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, millis).unref();
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
