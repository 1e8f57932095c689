import {
  COUNT,
  type Group,
  MEASURES,
  type Measure,
  type Period,
  type Report,
  reportOf,
} from '../../../charts/report/report.ts';
import { measureLabel } from '../../../charts/report/report-words.ts';
import type { ViewSettings } from '../../../grid/list-search.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { labelOf } from '../../../meta/standard-fields.ts';
import type { Choice } from '../../../widgets/select.tsx';

const DATES = ['Date', 'Datetime'];
/** In the order of the choices. */
const GROUPED = [
  'Select',
  'Link',
  ...DATES,
  'Check',
  'Dynamic Link',
  'Autocomplete',
  'Rating',
  'Int',
  'Data',
  'Phone',
];
const SUMMED = ['Int', 'Float', 'Currency', 'Percent', 'Duration', 'Rating'];
/** Each document has its own, or a list of values. */
const NEVER = ['name', 'naming_series', '_user_tags', '_assign', '_liked_by'];

/** The fields that documents can be grouped by. */
export function groupFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(
    ({ fieldname, fieldtype }) => GROUPED.includes(fieldtype) && !NEVER.includes(fieldname),
  );
}

/** A group by a field, dates by month. */
export function groupBy(fields: readonly Field[], fieldname: string, by: Period = 'month'): Group {
  const field = fields.find((one) => one.fieldname === fieldname);
  return { field: fieldname, by: field && DATES.includes(field.fieldtype) ? by : null };
}

/** The figures that a report can show: the count, and four of each number. */
export function measureChoices(meta: Meta, fields: readonly Field[]): readonly Choice[] {
  const numbers = fields.filter(
    ({ fieldname, fieldtype }) => SUMMED.includes(fieldtype) && fieldname !== 'docstatus',
  );
  const measures = numbers.flatMap(({ fieldname }) =>
    MEASURES.filter((of) => of !== 'count').map((of): Measure => ({ of, field: fieldname })),
  );
  return [COUNT, ...measures].map((one) => ({ value: measureKey(one), label: measureLabel(meta, one) }));
}

/** A measure as the value of a choice. */
export function measureKey({ of, field }: Measure): string {
  return field === null ? of : `${of} ${field}`;
}

/** The measure of a choice. */
export function measureOfKey(key: string): Measure {
  const [of = '', field = null] = key.split(' ');
  return { of: MEASURES.find((one) => one === of) ?? 'count', field };
}

/** The choices of fields to group by: first those with few values. */
export function groupChoices(fields: readonly Field[]): readonly Choice[] {
  const place = ({ fieldtype }: Field) => GROUPED.indexOf(fieldtype);
  const sorted = groupFields(fields).toSorted((a, b) => place(a) - place(b));
  return sorted.map((field) => ({ value: field.fieldname, label: labelOf(field) }));
}

/** The report of a list: without settings, how many documents there are of each state, or from each month. */
export function reportOfList(settings: ViewSettings, fields: readonly Field[]): Report {
  if (Object.keys(settings).length > 0) return reportOf(settings);
  const state =
    fields.find(({ fieldtype, fieldname }) => fieldtype === 'Select' && fieldname === 'status') ??
    fields.find(
      ({ fieldtype, in_list_view, set_only_once }) =>
        fieldtype === 'Select' && in_list_view && !set_only_once,
    );
  const group = groupBy(fields, state?.fieldname ?? 'creation');
  return reportOf({ groups: [{ field: group.field, by: group.by }] });
}
