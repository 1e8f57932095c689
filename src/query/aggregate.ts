import type { ColumnKind, Dialect } from '../db/dialect.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type FieldPath, notPermitted, resolveField } from './field-path.ts';
import type { QueryScope } from './query-scope.ts';

export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max'] as const;
export type AggregateName = (typeof AGGREGATES)[number];

/** An aggregate: one number (or for `min` and `max` one value) of many rows. */
export interface Aggregate {
  readonly of: AggregateName;
  /** Null: the rows themselves, for `count` only. */
  readonly path: FieldPath | null;
  /** Equal values count once; for `count` only. */
  readonly distinct: boolean;
}

/** Parses `function(field)`, and the default name of its result; null for other text. */
export function aggregateText(text: string): { call: AggregateCall; key: string } | null {
  const open = text.indexOf('(');
  const name = open > 0 && text.endsWith(')') ? aggregateName(text.slice(0, open).trimEnd()) : null;
  if (name === null) return null;
  const inner = text.slice(open + 1, -1).trim();
  const distinct = /^distinct\s/i.test(inner);
  const field = distinct ? inner.slice('distinct'.length).trimStart() : inner;
  if (field === '' || /[()]/.test(field)) return null;
  const key = `${name}(${distinct ? 'distinct ' : ''}${field.replaceAll('`', '')})`;
  return { call: { name, field, distinct }, key };
}

/** An aggregate as written in a request. */
export interface AggregateCall {
  readonly name: AggregateName;
  readonly field: string;
  readonly distinct: boolean;
}

/** The aggregate of that name, in any case. */
export function aggregateName(name: string): AggregateName | null {
  const plain = name.toLowerCase();
  return AGGREGATES.find((one) => one === plain) ?? null;
}

/** @throws ServiceError DataError for the field, ValidationError for one that has no sum */
export function resolveAggregate(doctype: DocType, call: AggregateCall, scope: QueryScope): Aggregate {
  const { name, field, distinct } = call;
  if (distinct && name !== 'count') throw notPermitted(`${name}(distinct ${field})`);
  if (field === '*') {
    if (name !== 'count' || distinct) throw notPermitted(`${name}(*)`);
    return { of: name, path: null, distinct };
  }
  const path = resolveField(doctype, field, scope, 'aggregate');
  const { kind } = path.column;
  if ((name === 'sum' || name === 'avg') && kind !== 'integer' && kind !== 'real') {
    const label = path.column.field?.label || path.column.fieldname;
    throw new ServiceError('ValidationError', `${label} is not numeric, so it has no ${name}`);
  }
  return { of: name, path, distinct };
}

/** The kind of its value. */
export function aggregateKind({ of, path }: Aggregate): ColumnKind {
  if (of === 'count') return 'integer';
  return of === 'min' || of === 'max' ? (path?.column.kind ?? 'integer') : 'real';
}

/** The aggregate over `column`; null means over the rows. */
export function compileAggregate(aggregate: Aggregate, column: Sql | null, dialect: Dialect): Sql {
  if (!column) return sql`count(*)`;
  const kind = aggregate.path?.column.kind === 'integer' ? 'integer' : 'real';
  switch (aggregate.of) {
    case 'count':
      return aggregate.distinct ? sql`count(distinct ${column})` : sql`count(${column})`;
    case 'min':
      return sql`min(${column})`;
    case 'max':
      return sql`max(${column})`;
    case 'sum':
      return dialect.sum(column, kind);
    case 'avg':
      return sql`(${dialect.sum(column, kind)} / count(${column}))`;
  }
}
