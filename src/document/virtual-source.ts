import type { Document } from '../doctype/doctype.ts';
import type { Fields } from '../kernel/value.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Change } from './change.ts';
import type { Context } from './context.ts';

/** Rows of a list that honour the whole query already, and how many there are on all its pages. */
export interface VirtualPage {
  readonly rows: readonly Fields[];
  readonly count: number;
}

type Maybe<T> = T | Promise<T>;

/**
 * Where the documents of a virtual doctype come from: these members of its controller. Documents are plain objects of
 * fields with a `name`; what they leave out is unset, child tables are arrays of such objects. Permissions, field levels,
 * hooks and checks apply as for any doctype. The three that write run in the transaction of the request, which may run
 * them again: an effect outside the database belongs in `ctx.afterCommit`.
 */
export interface VirtualSource {
  /**
   * The documents that `ctx.user` may see. Either an array, which the server filters, orders and cuts, and which may hold
   * only those that `query` keeps where that is cheaper; or a page that honours every part of `query` itself.
   */
  list?: (ctx: Context, query: ListQuery) => Maybe<readonly Fields[] | VirtualPage>;
  /** The document of that name; null when there is none. */
  read?: (ctx: Context, name: string) => Maybe<Fields | null>;
  /** Stores a new document. What it returns is taken over, such as a `name` that the store gave. */
  create?: (ctx: Context, doc: Document, change: Change) => Maybe<Fields | undefined>;
  /** Stores a changed document; `change.before` is what it was. */
  update?: (ctx: Context, doc: Document, change: Change) => Maybe<Fields | undefined>;
  delete?: (ctx: Context, doc: Document, change: Change) => Maybe<void>;
}
