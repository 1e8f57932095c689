import { excerptOf } from '../../exchange/records.ts';
import type { ErrorPlace, ServiceError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/value.ts';
import type { LoadProblem } from '../problems.ts';
import type { KeyedRecord } from '../record.ts';

/** True for an error that concerns one record; after any other one, no record can be saved. */
export function isRefused({ status }: ServiceError): boolean {
  return status < 500;
}

/** The problems of a record that a verb has refused: one for each that the error names. */
export function problemsOf(record: KeyedRecord, { message, details }: ServiceError): LoadProblem[] {
  const { messages = [message], places = [] } = details;
  return problemsAt(record, places, messages.length === 0 ? [message] : messages);
}

/** Problems at places of a record; without a place they concern the record as a whole. */
export function problemsAt(
  { doctype, key, row = 0, values, places: rows }: KeyedRecord,
  places: readonly (ErrorPlace | null)[],
  reasons: readonly string[],
): LoadProblem[] {
  return reasons.map((reason, at) => {
    const place = places[at];
    const problem = { kind: 'error', doctype, key, reason } as const;
    if (!place) return { ...problem, row, field: '', value: '' };
    const { fieldname, table, row: number = 0 } = place;
    if (table === undefined)
      return { ...problem, row, field: fieldname, value: excerptOf(values[fieldname]) };
    const list = values[table];
    const holder: unknown = Array.isArray(list) ? list[number - 1] : null;
    return {
      ...problem,
      row: rows?.get(table)?.[number - 1] ?? row,
      field: `${table}.${fieldname}`,
      value: isRecord(holder) ? excerptOf(holder[fieldname]) : '',
    };
  });
}
