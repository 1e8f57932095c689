import { currentCustoms, formatDate, formatList, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { momentOf } from '../../base/time-zone.ts';
import { choicesOf, formatValue } from '../../meta/field-values.ts';
import type { Field, Meta } from '../../meta/meta.ts';
import { findField, labelOf, makeField } from '../../meta/standard-fields.ts';
import type { Group, GroupValue, Measure, MeasureKind, Period, Report } from './report.ts';

type TitleOf = (doctype: string, name: string) => string | undefined;

/** The field of a group. Creates one for an unknown field of a hand-written report: the server checks it. */
export function fieldOfGroup(meta: Meta, { field }: Group): Field {
  return findField(meta, field) ?? makeField({ fieldname: field, fieldtype: 'Data' });
}

/** The options of a group's Select field in their order; none for other fields. */
export function optionsOfGroup(meta: Meta, group: Group): readonly string[] {
  const field = fieldOfGroup(meta, group);
  return field.fieldtype === 'Select' ? choicesOf(field) : [];
}

/** What a report shows, in words: `Count by Status`. */
export function reportWords(meta: Meta, { groups, measures }: Report): string {
  const values = formatList(measures.map((one) => measureLabel(meta, one)));
  if (groups.length === 0) return values;
  return t('{values} by {groups}', {
    values,
    groups: formatList(groups.map((one) => groupLabel(meta, one))),
  });
}

/** The head of a group's column: `Posting Date (month)`. */
export function groupLabel(meta: Meta, group: Group): string {
  const label = labelOf(fieldOfGroup(meta, group));
  return group.by === null ? label : t('{label} ({period})', { label, period: periodWord(group.by) });
}

/** A period as a choice. */
export function periodChoice(by: Period): string {
  switch (by) {
    case 'day':
      return t('Day');
    case 'week':
      return t('Week');
    case 'month':
      return t('Month');
    case 'quarter':
      return t('Quarter');
    case 'year':
      return t('Year');
  }
}

// A period within a label.
function periodWord(by: Period): string {
  switch (by) {
    case 'day':
      return t('day');
    case 'week':
      return t('week');
    case 'month':
      return t('month');
    case 'quarter':
      return t('quarter');
    case 'year':
      return t('year');
  }
}

/** The kind of a measure as a word. */
export function measureWord(of: MeasureKind): string {
  switch (of) {
    case 'count':
      return t('Count');
    case 'sum':
      return t('Sum');
    case 'avg':
      return t('Average');
    case 'min':
      return t('Minimum');
    case 'max':
      return t('Maximum');
  }
}

/** The head of a measure's column: `Sum of Grand Total`. */
export function measureLabel(meta: Meta, { of, field }: Measure): string {
  if (field === null) return t('Count');
  const found = findField(meta, field);
  return t('{measure} of {field}', { measure: measureWord(of), field: found ? labelOf(found) : field });
}

/** The value of a group as text. */
export function groupText(meta: Meta, group: Group, value: GroupValue, titleOf: TitleOf): string {
  if (value === null) return t('Not set');
  if (group.by !== null) return periodText(String(value), group.by);
  const field = fieldOfGroup(meta, group);
  if (field.fieldtype === 'Link') return titleOf(field.options, String(value)) ?? String(value);
  return formatValue(field, value);
}

/** A figure as text. */
export function figureText(meta: Meta, { of, field }: Measure, value: number | null): string {
  if (value === null) return '–';
  const found = field === null ? undefined : findField(meta, field);
  if (of === 'count' || !found) return formatNumber(value);
  // An average of whole numbers is none.
  if (of === 'avg' && found.fieldtype === 'Int') return formatNumber(Number(value.toFixed(2)));
  return formatValue(found, value);
}

/** A figure for an axis or a tile: `12.4K`. */
export function shortFigure(value: number): string {
  return new Intl.NumberFormat(currentCustoms().locale, {
    notation: 'compact',
    maximumFractionDigits: Math.abs(value) < 1_000 ? 2 : 1,
  }).format(value);
}

function periodText(first: string, by: Period): string {
  const at = momentOf(first, 'UTC');
  if (Number.isNaN(at)) return first;
  const { locale } = currentCustoms();
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(at);
  switch (by) {
    case 'day':
      return formatDate(first);
    case 'week':
      return t('Week of {date}', { date: formatDate(first) });
    case 'month':
      return format({ month: 'short', year: 'numeric' });
    case 'quarter':
      return t('Q{quarter} {year}', {
        quarter: formatNumber(Math.floor((Number(first.slice(5, 7)) - 1) / 3) + 1),
        year: format({ year: 'numeric' }),
      });
    case 'year':
      return format({ year: 'numeric' });
  }
}
