import { LIMITS } from '../../kernel/limits.ts';
import { DocumentRows, type RemoteShape } from './document-rows.ts';
import { eachOf } from './each-of.ts';
import type { Applied, FollowTarget } from './follow-target.ts';
import { isFailure } from './remote-error.ts';
import { singleOf } from './remote-records.ts';
import type { RemoteRow, RemoteSite } from './remote-site.ts';
import { byModified, byName, shifted } from './walk.ts';

/** What one round found and did. */
export interface Round {
  /** Documents that were stored as on the site, and deleted as there. */
  stored: number;
  removed: number;
  /** Documents that could not be stored. */
  failed: number;
  /** Documents that changed here, which stay as they are: `Customer C-1`. */
  readonly conflicts: Set<string>;
  /** Doctypes that the site did not let read, with its words. */
  readonly refused: Map<string, string>;
}

/** What a complete comparison found: the documents on the site and here, by doctype. */
export interface Comparison extends Round {
  readonly counts: ReadonlyMap<string, { readonly there: number; readonly here: number }>;
  /** Nothing differed, so that this server can take over. */
  readonly isAgreed: boolean;
}

export interface FollowerOptions {
  readonly site: RemoteSite;
  readonly target: FollowTarget;
  /** The followed doctypes; singles apart. */
  readonly shapes: readonly RemoteShape[];
  readonly singles: readonly RemoteShape[];
  /** By doctype, the `modified` of the last document seen, by the site's clock. Changed in place. */
  readonly positions: Map<string, string>;
  /** The time of the site's clock, as it writes `modified`. */
  readonly siteNow: () => string;
  /** Deletes any number of documents that the site does not have any more. */
  readonly isDeletingMany?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The place of deletions among the positions. */
export const DELETIONS = 'Deleted Document';

/** Before the first document of any site. */
const BEGINNING = '1900-01-01 00:00:00';

/**
 * Keeps documents here as a site has them. `poll` finds what changed since the last poll, by `modified` and Deleted
 * Document. It looks back over `LIMITS.remoteOverlap`, because a transaction commits later than its `modified`.
 * `compare` finds all else by the names and versions of all documents: renamed documents, deletions without a
 * record, and changes that a clock set back has hidden.
 */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #rows: DocumentRows;
  readonly #shapes: ReadonlyMap<string, RemoteShape>;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#rows = new DocumentRows(options.site);
    this.#shapes = new Map(options.shapes.map((shape) => [shape.doctype, shape]));
  }

  /** Notes where each doctype is, so that polls find what changes from now on. Call it before a complete read. */
  async begin(): Promise<void> {
    const { shapes, positions } = this.#options;
    await eachOf([...shapes.map(({ doctype }) => doctype), DELETIONS], async (doctype) => {
      if (positions.has(doctype)) return;
      this.#move(doctype, await this.#newest(doctype));
    });
  }

  /**
   * Stores and deletes what changed since the last poll. With `only`, it reads the changes of these doctypes, among
   * which may be singles, and all deletions.
   */
  async poll(only?: ReadonlySet<string>): Promise<Round> {
    const round = newRound();
    const { shapes, singles } = this.#options;
    const asked = only ? shapes.filter(({ doctype }) => only.has(doctype)) : shapes;
    await eachOf(asked, (shape) => readable(shape, round, () => this.#pollDoctype(shape, round)));
    for (const shape of singles.filter(({ doctype }) => only?.has(doctype))) {
      await readable(shape, round, () => this.#compareSingle(shape, round));
    }
    await this.#pollDeletions(round);
    return round;
  }

  /** Compares all names and versions, and repairs what differs. */
  async compare(): Promise<Comparison> {
    const round = newRound();
    const counts = new Map<string, { there: number; here: number }>();
    await eachOf(this.#options.shapes, (shape) =>
      readable(shape, round, async () => {
        counts.set(shape.doctype, await this.#compareDoctype(shape, round));
      }),
    );
    await eachOf(this.#options.singles, (shape) =>
      readable(shape, round, () => this.#compareSingle(shape, round)),
    );
    const { stored, removed, failed, conflicts, refused } = round;
    const isAgreed =
      stored + removed + failed + conflicts.size + refused.size === 0 &&
      [...counts.values()].every(({ there, here }) => there === here);
    return { ...round, counts, isAgreed };
  }

  /**
   * Never beyond the site's clock: a document with a time in the future, or a clock that was set back, such as at the
   * end of summer time, would hide what changes until then.
   */
  #move(doctype: string, modified: unknown): void {
    const latest = typeof modified === 'string' ? modified : BEGINNING;
    const now = this.#options.siteNow();
    this.#options.positions.set(doctype, now < latest ? now : latest);
  }

  async #newest(doctype: string): Promise<string | null> {
    const { site } = this.#options;
    const list = { doctype, fields: ['modified'], filters: [], orderBy: 'modified desc', limit: 1 };
    try {
      const [row] = await site.list(list);
      return row?.['modified'] ? String(row['modified']) : null;
    } catch (error) {
      if (doctype === DELETIONS && isFailure(error, 'denied', 'missing')) return null;
      throw error;
    }
  }

  async #pollDoctype(shape: RemoteShape, round: Round): Promise<void> {
    const { site, positions, signal } = this.#options;
    const { doctype } = shape;
    const from = lookBack(positions.get(doctype));
    for await (const page of byModified(site, doctype, from, VERSIONS)) {
      signal?.throwIfAborted();
      const { missing, stale } = await this.#differing(shape, page, round);
      await this.#renew(shape, [...missing, ...stale], round);
      // Only after the page is stored: a poll that is killed is repeated.
      this.#move(doctype, page.at(-1)?.['modified']);
    }
  }

  async #pollDeletions(round: Round): Promise<void> {
    const { site, target, positions, signal } = this.#options;
    const walk = { fields: ['name', 'modified', 'deleted_doctype', 'deleted_name'], page: LIMITS.remotePage };
    const deleted = new Map<RemoteShape, Set<string>>();
    let last: unknown;
    try {
      for await (const page of byModified(site, DELETIONS, lookBack(positions.get(DELETIONS)), walk)) {
        signal?.throwIfAborted();
        for (const [doctype, some] of Map.groupBy(page, (row) => String(row['deleted_doctype']))) {
          const shape = this.#shapes.get(doctype);
          if (!shape) continue;
          const names = [...new Set(some.map((row) => String(row['deleted_name'])))];
          const known = await this.#unlisted(doctype, await target.known(doctype, names));
          deleted.set(shape, new Set([...(deleted.get(shape) ?? []), ...known]));
        }
        last = page.at(-1)?.['modified'];
      }
    } catch (error) {
      // The key may not read them: the comparison of names finds deletions, too.
      if (!isFailure(error, 'denied', 'missing')) throw error;
    }
    for (const [shape, keys] of deleted) {
      await readable(shape, round, async () =>
        this.#removeUnlisted(shape, [...keys], await target.count(shape.doctype), round),
      );
    }
    // Only now: a poll that fails is repeated.
    if (last !== undefined) this.#move(DELETIONS, last);
  }

  async #compareDoctype(shape: RemoteShape, round: Round): Promise<{ there: number; here: number }> {
    const { site, target, signal } = this.#options;
    const { doctype } = shape;
    let there = 0;
    const own = newRound();
    const [missing, stale]: [string[], string[]] = [[], []];
    for await (const page of byName(site, doctype, VERSIONS)) {
      signal?.throwIfAborted();
      const found = await this.#differing(shape, page, own);
      there += found.coming;
      missing.push(...found.missing);
      stale.push(...found.stale);
    }
    // Deletions first: a renamed document takes the rows of its old name with it.
    if ((await target.count(doctype)) !== there - missing.length) {
      const { unlisted, here } = await this.#allUnlisted(doctype);
      await this.#removeUnlisted(shape, unlisted, here, own);
    }
    await this.#renew(shape, [...missing, ...stale], own);
    round.removed += own.removed;
    note(doctype, { ...own, conflicts: [] }, round);
    for (const conflict of own.conflicts) round.conflicts.add(conflict);
    for (const [refused, why] of own.refused) round.refused.set(refused, why);
    return { there, here: await target.count(doctype) };
  }

  async #compareSingle(shape: RemoteShape, round: Round): Promise<void> {
    const { site, target } = this.#options;
    const { doctype } = shape;
    const document = singleOf(shape, await site.read(doctype, doctype));
    note(doctype, await target.apply(doctype, [document]), round);
  }

  /** Of a page of names and versions, the number of documents that come, and those that differ here. */
  async #differing(shape: RemoteShape, page: readonly RemoteRow[], round: Round) {
    const coming = page.filter(({ name }) => shape.without?.has(String(name)) !== true);
    const { missing, stale, conflicts } = await this.#options.target.compare(shape.doctype, coming);
    for (const key of conflicts) round.conflicts.add(`${shape.doctype} ${key}`);
    return { coming: coming.length, missing, stale };
  }

  async #renew(shape: RemoteShape, keys: readonly string[], round: Round): Promise<void> {
    for (let start = 0; start < keys.length; start += LIMITS.remotePage) {
      const documents = await this.#rows.named(shape, keys.slice(start, start + LIMITS.remotePage));
      note(shape.doctype, await this.#options.target.apply(shape.doctype, documents), round);
    }
  }

  /** The documents here that the site does not list, and the number of all that are here. */
  async #allUnlisted(
    doctype: string,
  ): Promise<{ readonly unlisted: readonly string[]; readonly here: number }> {
    const { target, signal } = this.#options;
    const unlisted: string[] = [];
    let here = 0;
    for await (const keys of target.keys(doctype)) {
      signal?.throwIfAborted();
      here += keys.length;
      unlisted.push(...(await this.#unlisted(doctype, keys)));
    }
    return { unlisted, here };
  }

  /**
   * Deletes documents that the site does not list, unless they are so many of those `here` that its lists, or its
   * records of deletions, are not to be trusted.
   */
  async #removeUnlisted(
    shape: RemoteShape,
    unlisted: readonly string[],
    here: number,
    round: Round,
  ): Promise<void> {
    const { signal, isDeletingMany = false } = this.#options;
    const most = Math.max(LIMITS.remoteDeletions, (here * LIMITS.remoteDeletedPercent) / 100);
    if (unlisted.length > most && !isDeletingMany) {
      const why = `the site does not list ${unlisted.length} of ${here} documents that are here, and they stay`;
      round.refused.set(shape.doctype, `${why}: if they are deleted there, --delete-many deletes them here`);
      return;
    }
    for (let start = 0; start < unlisted.length; start += LIMITS.remotePage) {
      signal?.throwIfAborted();
      await this.#removeGone(shape, unlisted.slice(start, start + LIMITS.remotePage), round);
    }
  }

  /** Which of some documents the site does not list. One that was restored there is back. */
  async #unlisted(doctype: string, keys: readonly string[]): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const there = await this.#rows.existing(doctype, keys);
    return keys.filter((key) => !there.has(key));
  }

  /** Deletes those of the documents that the site does not have. It may also hide them from the key: those stay. */
  async #removeGone(shape: RemoteShape, unlisted: readonly string[], round: Round): Promise<void> {
    const { gone, hidden } = await this.#rows.unlisted(shape.doctype, unlisted);
    if (hidden !== null)
      round.refused.set(shape.doctype, `${hidden}. Documents that the key may not read stay`);
    if (gone.length === 0) return;
    const { removed, conflicts, referrers } = await this.#options.target.remove(shape.doctype, gone);
    round.removed += removed;
    for (const key of conflicts) round.conflicts.add(`${shape.doctype} ${key}`);
    // Where the site renamed or merged the document, it changed the links to it, but no `modified`.
    for (const [doctype, names] of referrers) {
      const referring = this.#shapes.get(doctype);
      if (referring) await this.#renew(referring, names, round);
    }
  }
}

const VERSIONS = { fields: ['name', 'modified'], page: LIMITS.remoteNamesPage };

function newRound(): Round {
  return { stored: 0, removed: 0, failed: 0, conflicts: new Set(), refused: new Map() };
}

function note(doctype: string, { stored, failed, conflicts }: Applied, round: Round): void {
  round.stored += stored;
  round.failed += failed;
  for (const key of conflicts) round.conflicts.add(`${doctype} ${key}`);
}

function lookBack(position = BEGINNING): string {
  return shifted(position, -LIMITS.remoteOverlap);
}

async function readable({ doctype }: RemoteShape, round: Round, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isFailure(error, 'denied', 'missing', 'refused', 'large')) throw error;
    round.refused.set(doctype, (error as Error).message);
  }
}
