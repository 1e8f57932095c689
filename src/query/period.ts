import type { Dialect, Period } from '../db/dialect.ts';
import type { Sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type FieldPath, type FieldUse, notPermitted, resolveField } from './field-path.ts';
import type { QueryScope } from './query-scope.ts';

const PERIODS: readonly Period[] = ['day', 'week', 'month', 'quarter', 'year'];

/**
 * Resolves `field`, or `field:month`: the first day of the period that a date is in. Weeks start on Sunday, as
 * in `timespan`.
 * @throws ServiceError DataError for the field, ValidationError for one that has no date
 */
export function resolveGroupKey(doctype: DocType, text: string, scope: QueryScope, use: FieldUse): FieldPath {
  const [, name = text, word] = /^(.*):(\w+)\s*$/s.exec(text) ?? [];
  const path = resolveField(doctype, name, scope, use);
  if (word === undefined) return path;
  const period = PERIODS.find((one) => one === word.toLowerCase());
  if (!period) throw notPermitted(text);
  const { kind, field, fieldname } = path.column;
  if (kind !== 'date' && kind !== 'datetime') {
    throw new ServiceError(
      'ValidationError',
      `${field?.label || fieldname} is not a date, so it has no ${period}`,
    );
  }
  return { ...path, period };
}

/** The value of a path whose column is `column`. */
export function compilePeriod({ period, column: { kind } }: FieldPath, column: Sql, dialect: Dialect): Sql {
  return period === undefined ? column : dialect.firstDay(column, period, kind);
}
