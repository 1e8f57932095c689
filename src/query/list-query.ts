import type { CurrentUser } from '../access/user.ts';
import type { Sql } from '../db/sql.ts';
import type { DocColumn, DocField, DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import type { Aggregate } from './aggregate.ts';
import type { ChildPath, FieldPath } from './field-path.ts';
import type { Test } from './operators.ts';

/** List parameters as a client sent them: text of a query string, or JSON already parsed. '' and null mean absent. */
export interface ListParameters {
  readonly fields?: unknown;
  readonly filters?: unknown;
  readonly or_filters?: unknown;
  readonly order_by?: unknown;
  readonly group_by?: unknown;
  readonly distinct?: unknown;
  readonly expand?: unknown;
  /** The doctype whose rows a child doctype's list shows. */
  readonly parent?: unknown;
  /** Another name of `parent`, used when that is absent. */
  readonly parent_doctype?: unknown;
  readonly limit_start?: unknown;
  /** Alias of `limit_start`, used when that is absent. */
  readonly start?: unknown;
  readonly limit_page_length?: unknown;
  /** Alias of `limit_page_length`, used when that is absent. */
  readonly limit?: unknown;
  readonly as_dict?: unknown;
  /** Anything else has no effect. */
  readonly [other: string]: unknown;
}

/** The parameters of a page besides those of its list: a cursor, and whether to count. */
export const PAGING_PARAMETERS: ReadonlySet<string> = new Set(['after', 'include', 'count']);

/** The parameters that mean something. */
export const LIST_PARAMETERS: ReadonlySet<string> = new Set([
  'fields',
  'filters',
  'or_filters',
  'order_by',
  'group_by',
  'distinct',
  'expand',
  'parent',
  'parent_doctype',
  'limit_start',
  'start',
  'limit_page_length',
  'limit',
  'as_dict',
]);

/** What decides the meaning of list parameters besides themselves. */
export interface QueryScope {
  readonly registry: DoctypeRegistry;
  readonly user: CurrentUser;
  /** Now in the stored form, in the site's time zone: `between` with one bound runs to today. */
  now(): string;
  /**
   * The rows of a doctype that the user may read, a condition on its own unqualified columns, null meaning all; for
   * filters through a link. Default: what the permissions say. Give it where more than permissions decides.
   */
  readonly rowsOf?: (doctype: DocType) => Sql | null;
  /** The right by which the list is made; `select` alone shows what a picker needs. Default `read`. */
  readonly right?: 'read' | 'select';
  /** The doctype whose permissions decide about the fields of a child doctype. Default: its own. */
  readonly parent?: DocType;
  /** Largest page for a user who is not an administrator; default `LIMITS.maxPageLength`. */
  readonly maxPageLength?: number;
}

/** A column of the result and its name there. */
export interface SelectedColumn {
  readonly column: DocColumn;
  /** The fieldname, unless the request asked for another name. */
  readonly key: string;
}

/** What stands in a result besides plain columns: a field reached through others, or an aggregate. */
export type Value =
  | { readonly value: 'field'; readonly path: FieldPath }
  | ({ readonly value: 'aggregate' } & Aggregate);

/** A child table of each document, as an array of rows. */
export interface SelectedTable {
  readonly table: DocField;
  readonly child: DocType;
  readonly columns: readonly DocColumn[];
  readonly key: string;
}

export type SelectedTerm = (Value & { readonly key: string }) | ({ readonly value: 'rows' } & SelectedTable);

/** Columns of each row; one row with the number of rows; or, where columns do not say it, terms. */
export type Selection =
  | { readonly select: 'columns'; readonly columns: readonly SelectedColumn[] }
  | { readonly select: 'count'; readonly key: string }
  | { readonly select: 'terms'; readonly terms: readonly SelectedTerm[] };

/** A link field whose value becomes the linked document, as far as the user may read it. */
export interface Expansion {
  readonly key: string;
  /** The key in the rows before they are presented. */
  readonly column: string;
  readonly target: DocType;
  readonly columns: readonly DocColumn[];
  readonly rows: Sql | null;
}

export interface Filter {
  readonly path: FieldPath;
  readonly test: Test;
}

/** Conditions within conditions: all of them hold, or one does. */
export interface FilterGroup {
  readonly join: 'and' | 'or';
  readonly nodes: readonly (Filter | FilterGroup)[];
}

export type OrderTerm = ColumnTerm | ValueTerm;

/** By something that is not a column of the doctype. */
export interface ValueTerm {
  readonly by: Value;
  readonly direction: 'asc' | 'desc';
}

export interface ColumnTerm {
  readonly by?: undefined;
  readonly column: DocColumn;
  /** Declared nullable. */
  readonly nullable: boolean;
  readonly direction: 'asc' | 'desc';
}

/** A list request understood: every name in it comes from metadata, every value has its column's type. */
export interface ListQuery {
  readonly doctype: DocType;
  readonly selection: Selection;
  /** All of these hold … */
  readonly filters: readonly Filter[];
  /** … and one of these, when there are any. */
  readonly orFilters: readonly Filter[];
  /** … and each of these. */
  readonly nested: readonly FilterGroup[];
  /** One row for each combination of these, `[]` one for all; null: a row for each document. */
  readonly groups: readonly FieldPath[] | null;
  /** The child rows that fields are selected from, one result row each; null: none. */
  readonly joined: ChildPath | null;
  readonly expand: readonly Expansion[];
  /** Ends with `name`, or with the groups, so the order is total. */
  readonly order: readonly OrderTerm[];
  readonly start: number;
  /** Null: all rows. */
  readonly limit: number | null;
  /** False: rows are arrays of values, in the order of the selection. */
  readonly asDict: boolean;
}
