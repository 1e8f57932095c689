import type { ColumnKind } from '../db/dialect.ts';
import type { DocColumn, DocField } from '../doctype/doctype.ts';
import { fieldtypeOf } from '../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { memo } from '../kernel/memo.ts';

/**
 * The range of stored values equal to a comparison value, both ends included. Usually it is one value. A time
 * in seconds covers that whole second, because timestamps are sent in seconds and must find their row again.
 * 1.5 equals no Int, yet lies between 1 and 2: there `high` is below `low`.
 */
export interface Interval {
  readonly low: string | number;
  readonly high: string | number;
}

/**
 * A comparison value as the column would store it; not an empty one.
 * @throws ServiceError ValidationError naming the field, for anything that the column could not hold
 */
export function interval(column: DocColumn, value: unknown): Interval {
  const field = column.kind === 'text' ? textField(column) : (column.field ?? standardField(column));
  const stored = fieldtypeOf(field).coerceOperand(value, field);
  // Blank text means unset for numbers and dates.
  if (stored === null) throw junk(column, value, 'a value');
  if (typeof stored === 'number') return column.kind === 'integer' ? wholeNumbers(stored) : exactly(stored);
  return column.kind === 'datetime' || column.kind === 'time'
    ? moments(stored, String(value))
    : exactly(stored);
}

/** Like `interval`, but a day given for a date with time covers the whole day: bounds of `between`. */
export function boundInterval(column: DocColumn, value: unknown): Interval {
  const { low, high } = interval(column, value);
  if (column.kind !== 'datetime' || String(value).includes(':')) return { low, high };
  return { low, high: `${String(high).slice(0, 10)} 23:59:59.999999` };
}

/** A `like` pattern as text. @throws ServiceError ValidationError naming the field */
export function likePattern(column: DocColumn, value: unknown): string {
  const field = textField(column);
  const text = fieldtypeOf(field).coerceOperand(value, field);
  if (typeof text !== 'string') throw junk(column, value, 'a pattern');
  if (text.length > LIMITS.likeLength) {
    throw junk(column, value, `a pattern of at most ${LIMITS.likeLength} characters`);
  }
  return text;
}

/** An error with the field and the value, shortened. */
export function junk(column: DocColumn, value: unknown, wanted: string): ServiceError {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new ServiceError('ValidationError', `A filter on ${labelOf(column)} needs ${wanted}, not ${shown}`);
}

function labelOf(column: DocColumn): string {
  return column.field?.label || column.fieldname;
}

function exactly(value: string | number): Interval {
  return { low: value, high: value };
}

// Stored whole numbers are within the exact range of a double, so a value beyond it only has a direction.
function wholeNumbers(value: number): Interval {
  const most = Number.MAX_SAFE_INTEGER;
  if (value > most) return { low: most + 1, high: most };
  if (value < -most) return { low: -most, high: -most - 1 };
  return { low: Math.ceil(value) + 0, high: Math.floor(value) + 0 };
}

// All times at the precision given, at least seconds; a day alone is its first moment, as in Frappe.
function moments(stored: string, written: string): Interval {
  if (!written.includes(':')) return exactly(stored);
  const digits = /:\d{2}\.(\d{1,6})/.exec(written)?.[1]?.length ?? 0;
  return { low: stored, high: stored.slice(0, stored.length - 6 + digits).padEnd(stored.length, '9') };
}

const STANDARD_FIELDTYPE: Readonly<Record<ColumnKind, string>> = {
  text: 'Data',
  integer: 'Int',
  real: 'Float',
  date: 'Date',
  datetime: 'Datetime',
  time: 'Time',
};

// Text is compared unchanged, whatever the type of text field; so are other values by `like`. Only JSON
// distinguishes `true` from 1.
const textField = memo((column: DocColumn): DocField => {
  const fieldtype = column.field?.fieldtype === 'JSON' ? 'JSON' : 'Data';
  return { ...standardField(column), label: labelOf(column), fieldtype };
});

/** A standard column as a field: its values follow the same rules. */
export const standardField = memo((column: DocColumn): DocField => {
  return {
    fieldname: column.fieldname,
    idx: 0,
    label: column.fieldname,
    fieldtype: STANDARD_FIELDTYPE[column.kind],
    options: '',
    default: null,
    reqd: false,
    unique: false,
    read_only: true,
    enforce_on_server: true,
    hidden: false,
    set_only_once: false,
    allow_on_submit: false,
    no_copy: false,
    non_negative: false,
    search_index: false,
    in_list_view: false,
    in_global_search: false,
    print_hide: false,
    is_virtual: false,
    ignore_xss_filter: false,
    ignore_user_permissions: false,
    on_delete: 'block',
    fetch_if_empty: false,
    fetch_from: '',
    depends_on: '',
    mandatory_depends_on: '',
    read_only_depends_on: '',
    length: 0,
    precision: 0,
    permlevel: 0,
    description: '',
  };
});
