/** The `DocTypes` interface that `chancery types` writes: documents by doctype name. */
export type DocTypeMap = object;

/** The `Methods` interface that `chancery types` writes: arguments by method name. */
export type MethodMap = object;

/** The declared arguments of a method, or any for a method outside `P`. */
export type ArgumentsOf<P extends MethodMap, N extends string> = N extends keyof P
  ? P[N]
  : Readonly<Record<string, unknown>>;

/** Names of doctypes. */
export type DocTypeName<M extends DocTypeMap> = Extract<keyof M, string>;

type Value = string | number | null;
type IsRows<V> = Extract<V, readonly unknown[]> extends never ? false : true;
type RowOf<V> = Extract<V, readonly unknown[]> extends readonly (infer R)[] ? R : never;

/** Names of fields that hold one value. */
export type ScalarField<T> = Extract<
  { [K in keyof T]-?: IsRows<T[K]> extends true ? never : K }[keyof T],
  string
>;

/**
 * A value as the server sends it. Names of `autoincrement` documents are numbers there, and their text in
 * hooks.
 */
type Wire<K, V> = K extends 'name' ? (V extends `${bigint}` ? number : V) : V;

/** Names of child tables. */
type TableField<T> = Extract<{ [K in keyof T]-?: IsRows<T[K]> extends true ? K : never }[keyof T], string>;

type NullableKey<T> = {
  [K in keyof T]-?: null extends T[K] ? K : undefined extends T[K] ? K : never;
}[keyof T];

/** A single document as the server sends it: without its null fields. */
export type Received<T> = {
  [K in Exclude<keyof T, NullableKey<T>>]: IsRows<T[K]> extends true
    ? Received<RowOf<T[K]>>[]
    : Wire<K, T[K]>;
} & { [K in NullableKey<T>]?: Exclude<T[K], null> };

/** Fields that only the server sets. */
type OfServer =
  | 'doctype'
  | 'owner'
  | 'creation'
  | 'modified'
  | 'modified_by'
  | 'docstatus'
  | 'idx'
  | 'parent'
  | 'parentfield'
  | 'parenttype';

/** Fields for the creation of a document, or for a row of a child table. */
export type Creation<T> = {
  [K in Exclude<keyof T, OfServer>]?: IsRows<T[K]> extends true ? Creation<RowOf<T[K]>>[] : T[K] | null;
};

/**
 * Fields to change. A child table replaces all of its rows; a row with the `name` of a stored row keeps that
 * name.
 */
export type Changes<T> = Omit<Creation<T>, 'name'> & {
  /** 1 submits a draft, 2 cancels a submitted document. */
  docstatus?: 0 | 1 | 2;
  /**
   * The value from the read. The server refuses the change with TimestampMismatchError when the document has
   * another value by now.
   */
  modified?: string;
};

/** A row of a list: the requested fields, null where unset. */
export type Row<T, F extends ScalarField<T>> = { [K in F]: Wire<K, Exclude<T[K], undefined>> };

type ValueTest<V> =
  | readonly ['=' | '!=' | '<' | '>' | '<=' | '>=', V | null]
  | readonly ['in' | 'not in', readonly (V | null)[]]
  | readonly ['like' | 'not like', string]
  | readonly ['between', readonly [V, V]]
  | readonly ['is', 'set' | 'not set']
  | readonly [TreeOperator, string];
type TreeOperator =
  | 'ancestors of'
  | 'descendants of'
  | 'descendants of (inclusive)'
  | 'not ancestors of'
  | 'not descendants of';

// Null stands for a Select's empty option.
type Comparable<V> = Extract<V, Value> extends infer U ? Exclude<U, null> : never;

/** A condition: `[field, operator, value]`, on a field of the document or on `table.field` of its rows. */
export type Filter<T> =
  | { [K in ScalarField<T>]: readonly [K, ...ValueTest<Comparable<Wire<K, T[K]>>>] }[ScalarField<T>]
  | {
      [K in TableField<T>]: {
        [F in ScalarField<RowOf<T[K]>>]: readonly [`${K}.${F}`, ...ValueTest<Comparable<RowOf<T[K]>[F]>>];
      }[ScalarField<RowOf<T[K]>>];
    }[TableField<T>];

/** Conditions that must all hold: a list of them, or values and tests by field. */
export type Filters<T> =
  | readonly Filter<T>[]
  | {
      readonly [K in ScalarField<T>]?:
        | Comparable<Wire<K, T[K]>>
        | null
        | ValueTest<Comparable<Wire<K, T[K]>>>;
    };

/** `field`, `field asc` or `field desc`. */
export type Order<T> = ScalarField<T> | `${ScalarField<T>} ${'asc' | 'desc'}`;

/** The documents of a list. */
export interface Selection<T> {
  readonly filters?: Filters<T>;
  /** At least one of these must hold, besides all `filters`. */
  readonly orFilters?: Filters<T>;
}

/** The fields and rows of a list. */
export interface ListOptions<T, F extends ScalarField<T> = ScalarField<T>> extends Selection<T> {
  /** Default: `name` alone. */
  readonly fields?: readonly F[];
  readonly orderBy?: Order<T> | readonly Order<T>[];
  /** The number of rows to skip. */
  readonly start?: number;
  /** The greatest number of rows; default: 20. */
  readonly limit?: number;
}
