import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import { memo } from '../kernel/memo.ts';
import type { Context } from './contract.ts';
import type { DocEvent } from './doc-event.ts';

/** A document by its doctype and name. */
export interface Named {
  readonly doctype: string;
  readonly name: string;
}

/** The documents that a transaction is deleting. */
interface Leaving {
  /** Names by doctype: each from the plan of its deletion until its row is gone. */
  readonly names: Map<string, Set<string>>;
  /** Documents emptied or deleted by the `on_delete` of their links so far. */
  affected: number;
}

// All contexts of a transaction share their events.
const leavingIn = memo((_: readonly DocEvent[]): Leaving => ({ names: new Map(), affected: 0 }));

/** The documents that the transaction is deleting. Their links to each other block nothing. */
export function leavingOf(ctx: Context): Leaving {
  return leavingIn(ctx.events);
}

/** Counts documents among those being deleted for as long as the work takes. */
export function addLeaving(ctx: Context, { doctype, name }: Named): void {
  const { names } = leavingOf(ctx);
  names.set(doctype, (names.get(doctype) ?? new Set()).add(name));
}

/** The end of a deletion, successful or not. */
export function removeLeaving(ctx: Context, { doctype, name }: Named): void {
  const { names } = leavingOf(ctx);
  names.get(doctype)?.delete(name);
  if (names.get(doctype)?.size === 0) names.delete(doctype);
}

/** True while the transaction is deleting the document. */
export function isLeaving(ctx: Context, { doctype, name }: Named): boolean {
  return leavingOf(ctx).names.get(doctype)?.has(name) === true;
}

/** A further condition for documents of a doctype: all but the given one and those being deleted. */
export function besides(ctx: Context, doctypeName: string, one: Named): Sql {
  const names = leavingAnd(ctx, one).get(doctypeName);
  return names ? sql` and not (${isAmong('name', names)})` : EMPTY;
}

/** The same for rows of a child doctype, by their parents. */
export function besidesRows(ctx: Context, one: Named): Sql {
  const parents = [...leavingAnd(ctx, one)].map(
    ([doctype, names]) => sql` and not ("parenttype" = ${doctype} and ${isAmong('parent', names)})`,
  );
  return join(parents, ' ');
}

function leavingAnd(ctx: Context, { doctype, name }: Named): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, ReadonlySet<string>>(leavingOf(ctx).names);
  return all.set(doctype, new Set(all.get(doctype)).add(name));
}

/** The condition that a column has one of these values. */
export function isAmong(column: string, values: Iterable<string>): Sql {
  return sql`${ident(column)} in (${join([...values].map((value) => sql`${value}`))})`;
}
