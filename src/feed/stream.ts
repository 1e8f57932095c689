import { allows } from '../access/permission.ts';
import type { CurrentUser } from '../access/user.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import { nameIn } from '../doctype/numbered.ts';
import { readContext } from '../document/context.ts';
import type { Site } from '../document/contract.ts';
import { load } from '../document/load/load.ts';
import { hasRight } from '../document/load/rights-on.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Change } from './changes.ts';
import type { ChangeFeed } from './feed.ts';
import type { Position } from './position.ts';

/** A message to a listener, with the position to resume from. */
export interface FeedMessage {
  /**
   * `open` begins a stream. `reset` begins or interrupts one when changes are missing and the listener must
   * read everything again. `alive` reports that nothing happened.
   */
  readonly event: 'open' | 'reset' | 'change' | 'alive';
  readonly at: Position;
  /** Null for `alive`. */
  readonly data: object | null;
}

export interface Listening {
  readonly doctypes: ReadonlySet<string>;
  /** The documents to follow; null for all. */
  readonly names: ReadonlySet<string> | null;
  /** Also tells when somebody begins or ends to view a document. */
  readonly views: boolean;
  /** The position to resume from. Null for a new listener, undefined for an invalid position. */
  readonly from: Position | null | undefined;
  /** The listener's current user; null when access has ended. Called repeatedly. */
  readonly who: () => Promise<CurrentUser | null>;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/**
 * Refuses missing doctypes and doctypes without read permission with the same message.
 * @throws ServiceError PermissionError
 */
export function requireReadable(site: Site, user: CurrentUser, doctypes: ReadonlySet<string>): void {
  for (const name of doctypes) {
    if (mayListen(site, user, name)) continue;
    throw new ServiceError('PermissionError', `No permission to read ${name}`, { title: 'Not permitted' });
  }
}

// Child rows change with their parents, and the feed reports the parents.
function mayListen(site: Site, user: CurrentUser, doctypeName: string): boolean {
  const doctype = site.doctypes.find(doctypeName);
  return doctype !== undefined && !doctype.istable && allows(user, doctype, 'read');
}

/**
 * Streams changes of documents to a listener while they may read them. Each change is checked against the
 * current document and the user's current rights.
 * @throws ServiceError ServiceUnavailableError
 */
export async function openStream(
  site: Site,
  feed: ChangeFeed,
  listening: Listening,
): Promise<AsyncGenerator<FeedMessage, void, undefined>> {
  const { doctypes, from } = listening;
  await feed.follow(doctypes);
  const resumed = from ? await feed.reaches(from, doctypes) : false;
  const at = resumed && from ? from : await feed.now(doctypes);
  const isLost = !resumed && from !== null;
  const first: FeedMessage = isLost ? reset(at) : { event: 'open', at, data: { resumed } };
  return tell(site, feed, listening, first);
}

async function* tell(
  site: Site,
  feed: ChangeFeed,
  listening: Listening,
  first: FeedMessage,
): AsyncGenerator<FeedMessage, void, undefined> {
  const { doctypes, names, who, signal } = listening;
  const leave = feed.join();
  let { at } = first;
  let told = performance.now();
  let followed = told;
  try {
    yield first;
    while (!signal.aborted) {
      const user = await who();
      if (user === null || ![...doctypes].some((name) => mayListen(site, user, name))) return;
      const heard = await feed.after(at, doctypes);
      if (heard === null) {
        await feed.follow(doctypes);
        at = await feed.now(doctypes);
        yield reset(at);
        continue;
      }
      for (const change of heard.changes) {
        if (names !== null && !isAbout(change, names)) continue;
        if (change.event === 'on_view' && !listening.views) continue;
        // Sending the previous change may have taken a while.
        const now = await who();
        if (now === null || signal.aborted) return;
        const verdict = await verdictOn(site, feed, now, change);
        if (verdict === 'silence') continue;
        told = performance.now();
        yield verdict === 'tell'
          ? { event: 'change', at: change.position, data: dataOf(site, change) }
          : reset(change.position);
      }
      at = heard.through;
      if (performance.now() - told >= LIMITS.eventHeartbeat) {
        told = performance.now();
        yield { event: 'alive', at, data: null };
      }
      if (performance.now() - followed >= LIMITS.changeAge / 6) {
        followed = performance.now();
        await feed.follow(doctypes);
      }
      if (heard.changes.length === 0) await newsOrCheck(feed, at, signal);
    }
  } finally {
    leave();
  }
}

function reset(at: Position): FeedMessage {
  return { event: 'reset', at, data: { reason: 'Changes are missing: read the documents again' } };
}

function isAbout({ name, oldName }: Change, names: ReadonlySet<string>): boolean {
  return names.has(name) || (oldName !== null && names.has(oldName));
}

type ChangeVerdict = 'tell' | 'silence' | 'unknown';

// The current document decides; the snapshot decides only for a deleted document. The feed is ordered by the
// start of transactions, so a deletion may come after the creation of another document with the same name.
async function verdictOn(
  site: Site,
  feed: ChangeFeed,
  user: CurrentUser,
  change: Change,
): Promise<ChangeVerdict> {
  const doctype = site.doctypes.find(change.doctype);
  if (!doctype) return 'silence';
  const ctx = readContext(site, user);
  const asked = () => load(ctx, doctype, change.name);
  // A controller may return different documents to different users.
  const stored = await (doctype.is_virtual ? asked() : feed.load(change, asked));
  if (stored && (await hasRight(ctx, doctype, 'read', stored.doc))) {
    return change.event === 'on_trash' ? 'silence' : 'tell';
  }
  if (change.event !== 'on_trash') return 'silence';
  if (change.snapshot === null) return allows(user, doctype, 'read') ? 'unknown' : 'silence';
  return (await hasRight(ctx, doctype, 'read', snapshotOf(doctype, change.snapshot))) ? 'tell' : 'silence';
}

function snapshotOf(doctype: DocType, text: string): Document {
  return { ...(JSON.parse(text) as Document), doctype: doctype.name };
}

function dataOf(site: Site, { doctype, name, event, modified, oldName }: Change): object {
  const cut = site.settings.timestampPrecision === 'seconds' ? modified.slice(0, 19) : modified;
  const shown = (text: string) => nameIn(site.doctypes, doctype, text);
  const old = oldName === null ? {} : { old_name: shown(oldName) };
  return { doctype, name: shown(name), event, modified: cut, ...old };
}

// Checks the listener's rights every few seconds, even without changes.
async function newsOrCheck(feed: ChangeFeed, at: Position, signal: AbortSignal): Promise<void> {
  const check = new AbortController();
  const timer = setTimeout(() => check.abort(), LIMITS.eventCheck);
  const stop = () => check.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (!signal.aborted) await feed.news(at, check.signal);
  signal.removeEventListener('abort', stop);
  clearTimeout(timer);
}
