import { ident, sql } from '../db/sql.ts';
import type { ChildRow, DocType, Document } from '../doctype/doctype.ts';
import { type Clock, formatTimestamp } from '../kernel/clock.ts';
import { memo } from '../kernel/memo.ts';
import type { Change } from './change.ts';
import { timestamp } from './context.ts';
import type { Context, Site } from './contract.ts';

const SECOND = 1_000_000;

/** The furthest that quick successive changes move `modified` ahead of the clock; microseconds. */
const AHEAD = 5 * SECOND;

/** A stamp further ahead of the clock than this is older than a change of the clock; microseconds. */
const SET_BACK = 2 * AHEAD;

/** How long after a list by `modified` another one is expected; microseconds. */
const POLLING = 60 * SECOND;

/** The first microsecond of a second that marks a stamp as shared, see `isShared`. */
const SHARED = 999_000;

/** Sets owner and times of a new document, whatever the client sent. */
export function stampCreation(ctx: Context, doc: Document): void {
  doc.owner = ctx.user.name;
  doc.creation = timestamp(ctx.site);
  doc.modified = nextStamp(ctx.site, null, doc.creation);
  doc.modified_by = ctx.user.name;
}

/** Sets a new `modified`, see `nextStamp`. */
export function stampUpdate(ctx: Context, change: Change): void {
  // A single has no row before its first save.
  if (change.revision === 0) {
    stampCreation(ctx, change.doc);
    return;
  }
  change.doc.modified = nextStamp(ctx.site, change.before?.modified || null);
  change.doc.modified_by = ctx.user.name;
}

/**
 * The `modified` of the next change of a document, in the stored form. Clients see whole seconds, use them to
 * detect lost updates, and poll with them as a cursor. Therefore it is
 *
 * - at least one second after `previous`, even if the clock is behind, unless that is more than `AHEAD` ahead
 *   of the clock: then it shares the second of `previous`, and is marked;
 * - not in an earlier second than any stamp that this process has given, while clients poll (`notePolling`).
 */
function nextStamp(site: Site, previous: string | null, now = timestamp(site)): string {
  const clock = microsOf(now);
  const latest = latestOf(site.clock);
  const isPolled = Math.abs(clock - latest.polled) <= POLLING;
  const isAhead = isPolled && latest.stamp >= clock && latest.stamp - clock <= SET_BACK;
  let next = unshared(isAhead ? latest.stamp + 1 : clock);
  const before = previous === null ? Number.NEGATIVE_INFINITY : microsOf(previous);
  if (secondOf(next) <= secondOf(before)) {
    const following = secondOf(before) + SECOND + (next % SECOND);
    const lead = following - clock;
    next = lead <= AHEAD || lead > SET_BACK ? following : Math.max(before + 1, secondOf(before) + SHARED);
  }
  const isOld = latest.stamp - clock > SET_BACK;
  latest.stamp = Math.max(isOld ? 0 : latest.stamp, unshared(next));
  return next === clock ? now : formatTimestamp(next);
}

/** True when several versions of the document have had this `modified`, to the second. */
export function isShared(stamp: string): boolean {
  return Number(stamp.slice(20)) >= SHARED;
}

/**
 * Gives a document whose `modified` is shared one of its own, if the clock permits. It is no save: no hook,
 * version or webhook; only the revision counts it, since the document reads differently. A row of it gets the
 * same time. Resolves to false when nothing changed.
 */
export async function separateStamp(
  ctx: Context,
  doctype: DocType,
  stored: Document,
  row?: ChildRow,
): Promise<boolean> {
  if (doctype.rowsFrom !== 'table') return false;
  const next = nextStamp(ctx.site, stored.modified);
  if (isShared(next)) return false;
  return ctx.site.database.transaction(async (db) => {
    const changed = await db.run(
      sql`update ${ident(doctype.name)} set "modified" = ${next}, "_revision" = "_revision" + 1
          where "name" = ${stored.name} and "modified" = ${stored.modified}`,
    );
    if (row) {
      await db.run(
        sql`update ${ident(row.doctype)} set "modified" = ${next}
            where "name" = ${row.name} and "modified" = ${row.modified}`,
      );
    }
    return changed > 0;
  });
}

/**
 * Notes that a client lists by `modified`, and may take the last one for its cursor. Only while that happens
 * are the changes of all documents in one order: it lets quick changes of one document move all others ahead.
 */
export function notePolling(site: Site): void {
  latestOf(site.clock).polled = microsOf(timestamp(site));
}

/** The highest stamp given, and the time of the last poll, in the microseconds of `microsOf`. */
const latestOf = memo((_: Clock) => ({ stamp: 0, polled: 0 }));

/** Microseconds of a wall-clock time, counted as if it was in UTC. */
function microsOf(stamp: string): number {
  return Date.parse(`${stamp.slice(0, 19).replace(' ', 'T')}Z`) * 1000 + Number(stamp.slice(20));
}

function secondOf(micros: number): number {
  return Math.floor(micros / SECOND) * SECOND;
}

// Not the start of a second either: clients poll for changes after it.
function unshared(micros: number): number {
  return secondOf(micros) + Math.min(Math.max(micros % SECOND, 1), SHARED - 1);
}
