import type { Sql } from '../db/sql.ts';
import type { DocColumn, DocField, DocType } from '../doctype/doctype.ts';
import type { Aggregate } from './aggregate.ts';
import type { ChildPath, FieldPath } from './field-path.ts';
import type { Test } from './operators.ts';

/** List parameters as sent by a client: text of a query string, or parsed JSON. '' and null mean absent. */
export interface ListParameters {
  readonly fields?: unknown;
  readonly filters?: unknown;
  readonly or_filters?: unknown;
  readonly order_by?: unknown;
  readonly group_by?: unknown;
  readonly distinct?: unknown;
  readonly expand?: unknown;
  /** The parent doctype in the list of a child doctype. */
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
  /** All others are ignored. */
  readonly [other: string]: unknown;
}

/** The parameters of a page besides those of its list: a cursor, and whether to count. */
export const PAGING_PARAMETERS: ReadonlySet<string> = new Set(['after', 'include', 'count']);

/** The known parameters. */
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

/** A column of the result and its name there. */
export interface SelectedColumn {
  readonly column: DocColumn;
  /** The fieldname, unless the request asked for another name. */
  readonly key: string;
}

/** A result value other than a plain column: a field behind others, or an aggregate. */
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

/** The latest comments of each document, as JSON text; null without any. */
export interface SelectedComments {
  readonly table: null;
  /** The comments that the user may read; null means all. */
  readonly comments: Sql | null;
  readonly key: string;
}

/** `rows` are read in a statement of their own. */
export type SelectedTerm =
  | (Value & { readonly key: string })
  | ({ readonly value: 'rows' } & (SelectedTable | SelectedComments));

/** Columns of each row; one row with the number of rows; or, if columns are not enough, terms. */
export type Selection =
  | { readonly select: 'columns'; readonly columns: readonly SelectedColumn[] }
  | { readonly select: 'count'; readonly key: string }
  | { readonly select: 'terms'; readonly terms: readonly SelectedTerm[] };

/** A link field whose value is replaced by the linked document, with the fields that the user may read. */
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

/** A nested group of conditions, joined by `and` or by `or`. */
export interface FilterGroup {
  readonly join: 'and' | 'or';
  readonly nodes: readonly (Filter | FilterGroup)[];
}

export type OrderTerm = ColumnTerm | ValueTerm;

/** Sorts by a value that is not a column of the doctype. */
export interface ValueTerm {
  readonly by: Value;
  readonly direction: 'asc' | 'desc';
}

export interface ColumnTerm {
  readonly by?: undefined;
  readonly column: DocColumn;
  /** Nullable in the schema. */
  readonly nullable: boolean;
  readonly direction: 'asc' | 'desc';
}

/** A parsed list request: all names come from metadata, all values have their column's type. */
export interface ListQuery {
  readonly doctype: DocType;
  readonly selection: Selection;
  /** All of these must match … */
  readonly filters: readonly Filter[];
  /** … and one of these, if there are any … */
  readonly orFilters: readonly Filter[];
  /** … and each of these groups. */
  readonly nested: readonly FilterGroup[];
  /** One row per combination of these, `[]` one for all; null: a row for each document. */
  readonly groups: readonly FieldPath[] | null;
  /** The child table of the selected fields, with one result row per child row; null: none. */
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
