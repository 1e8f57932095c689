import { t } from '../base/i18n.ts';
import { isLayout, isTable } from '../meta/fieldtypes.ts';
import type { Field, MetaBundle } from '../meta/meta.ts';
import { problemOfJson } from '../widgets/fields/code-control.tsx';
import { problemOfDate } from '../widgets/fields/date-control.tsx';
import { problemOfNumber } from '../widgets/fields/number-control.tsx';
import type { FieldError } from './doc-errors.ts';
import { cellPath } from './doc-path.ts';
import type { DocStore } from './doc-store.ts';

const NUMBERS = ['Int', 'Float', 'Currency', 'Percent', 'Duration'];

/**
 * Checks only for text that is no value of its field, because it cannot be sent. The server checks all other
 * rules.
 */
export function problemsOf({ meta, children }: MetaBundle, store: DocStore): readonly FieldError[] {
  const changed = new Set(store.dirtyFields());
  return meta.fields.flatMap((field) => {
    if (!changed.has(field.fieldname) || isLayout(field.fieldtype)) return [];
    if (!isTable(field.fieldtype)) return problemAt(field, store.get(field.fieldname), field.fieldname);
    const columns = children.get(field.options)?.fields ?? [];
    return store
      .rows(field.fieldname)
      .flatMap((row, at) =>
        columns.flatMap((column) =>
          problemAt(column, row.values[column.fieldname], cellPath(field.fieldname, at, column.fieldname)),
        ),
      );
  });
}

function problemAt(field: Field, value: unknown, path: string): FieldError[] {
  const message = problemOf(field, value);
  return message === null ? [] : [{ path, message }];
}

function problemOf(field: Field, value: unknown): string | null {
  if (NUMBERS.includes(field.fieldtype)) return problemOfNumber(field.fieldtype, value);
  if (['Date', 'Datetime', 'Time'].includes(field.fieldtype)) return problemOfDate(field.fieldtype, value);
  if (['JSON', 'Geolocation'].includes(field.fieldtype) && typeof value === 'string')
    return problemOfJson(value);
  if (field.fieldtype === 'Check' && typeof value === 'string' && !/^[01]?$/.test(value))
    return t('Choose yes or no');
  return null;
}
