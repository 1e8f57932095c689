import type { Filter, ListQuery } from '../../data/documents.ts';

export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Period = (typeof PERIODS)[number];

export const MEASURES = ['count', 'sum', 'avg', 'min', 'max'] as const;
export type MeasureKind = (typeof MEASURES)[number];

export const CHARTS = ['none', 'bar', 'stacked', 'line', 'donut'] as const;
export type ReportChartKind = (typeof CHARTS)[number];

/** A field whose equal values form a group. Dates are grouped by period. */
export interface Group {
  readonly field: string;
  /** Null except for dates. */
  readonly by: Period | null;
}

/** A figure of each group. */
export interface Measure {
  readonly of: MeasureKind;
  /** Null for `count`, which counts the documents. */
  readonly field: string | null;
}

/** The settings of a saved view of type Report. */
export interface Report {
  /** None: one figure of all documents. At most two. */
  readonly groups: readonly Group[];
  /** At least one. */
  readonly measures: readonly Measure[];
  /** The values of the second group are columns. */
  readonly isPivot: boolean;
  readonly chart: ReportChartKind;
  /** By the values of the groups, or by a measure: its position. */
  readonly sort: { readonly by: 'group' | number; readonly isDescending: boolean };
}

/** What a report counts: the documents of a doctype that match, as far as the viewer may read them. */
export interface ReportSource {
  readonly doctype: string;
  readonly filters?: readonly Filter[] | undefined;
  readonly or_filters?: readonly Filter[] | undefined;
  readonly report: Report;
}

export const COUNT: Measure = { of: 'count', field: null };
export const MOST_GROUPS = 2;
export const MOST_MEASURES = 5;
/** The most groups of a report. One with more says that it is cut. A longer list would count as an export. */
export const MOST_ROWS = 999;

/** Parses the settings of a report, which apps and addresses also write. */
export function reportOf(settings: unknown): Report {
  const wire = recordOf(settings);
  const groups = listOf(wire['groups']).flatMap(groupOf).slice(0, MOST_GROUPS);
  const measures = listOf(wire['measures']).flatMap(measureOf).slice(0, MOST_MEASURES);
  const sort = recordOf(wire['sort']);
  const by = Number(sort['by']);
  const [measure = COUNT] = measures;
  const chart = CHARTS.find((one) => one === wire['chart']) ?? 'bar';
  return {
    groups,
    measures: measures.length > 0 ? measures : [COUNT],
    isPivot: Boolean(wire['pivot']) && groups.length === 2,
    chart: chartsOf(groups, measure).includes(chart) ? chart : 'bar',
    sort: {
      by: typeof sort['by'] === 'number' && by >= 0 && by < Math.max(1, measures.length) ? by : 'group',
      isDescending: Boolean(sort['desc']),
    },
  };
}

/** The charts that can show a measure of these groups. An average is no sum of parts. */
export function chartsOf(groups: readonly Group[], measure: Measure): readonly ReportChartKind[] {
  const isSum = isAdditive(measure);
  return CHARTS.filter(
    (chart) => (chart !== 'stacked' || (isSum && groups.length === 2)) && (chart !== 'donut' || isSum),
  );
}

/** True if the figures of several groups add up to that of all. */
export function isAdditive({ of }: Measure): boolean {
  return of === 'count' || of === 'sum';
}

/** The settings as a saved view stores them. */
export function settingsOf({
  groups,
  measures,
  isPivot,
  chart,
  sort,
}: Report): Readonly<Record<string, unknown>> {
  return {
    groups: groups.map(({ field, by }) => (by === null ? { field } : { field, by })),
    measures: measures.map(({ of, field }) => (field === null ? { of } : { of, field })),
    ...(isPivot ? { pivot: 1 } : {}),
    chart,
    sort: { by: sort.by, ...(sort.isDescending ? { desc: 1 } : {}) },
  };
}

/** The report of a stored `Saved View`; null for a view of another type. */
export function sourceOfView(view: Readonly<Record<string, unknown>>): ReportSource | null {
  if (view['type'] !== 'Report') return null;
  const filters = parsed(view['filters']);
  const or = parsed(view['or_filters']);
  return {
    doctype: String(view['reference_doctype']),
    filters: Array.isArray(filters) && filters.length > 0 ? (filters as Filter[]) : undefined,
    or_filters: Array.isArray(or) && or.length > 0 ? (or as Filter[]) : undefined,
    report: reportOf(parsed(view['settings'])),
  };
}

/** A figure of the reply. An average needs two, so that averages of several groups can be joined. */
interface Figure {
  readonly of: Exclude<MeasureKind, 'avg'>;
  readonly field: string | null;
}

/** The list parameters of a report: one row for each group. */
export function queryOf({ filters, or_filters, report }: ReportSource): ListQuery {
  const { groups, measures, sort } = report;
  const keys = groups.map(textOf);
  const sorted = typeof sort.by === 'number' ? measures[sort.by] : undefined;
  const direction = sort.isDescending ? 'desc' : 'asc';
  const order = sorted ? [`${callOf(sorted)} ${direction}`] : keys.map((key) => `${key} ${direction}`);
  return {
    fields: [
      ...keys.map((key, at) => `${key} as g${at}`),
      ...figuresOf(measures).map((one, at) => `${callOf(one)} as v${at}`),
    ],
    ...(filters ? { filters } : {}),
    ...(or_filters ? { or_filters } : {}),
    ...(keys.length > 0 ? { group_by: keys.join(','), order_by: order.join(', ') } : {}),
    limit_page_length: MOST_ROWS + 1,
  };
}

/** One group, or several joined: the values of its fields and its figures. */
export interface Cell {
  readonly keys: readonly GroupValue[];
  readonly figures: readonly (number | null)[];
}

/** The value of a group's field; null if unset. A period is its first day. */
export type GroupValue = string | number | null;

/** The groups in the reply of `queryOf`. */
export function cellsOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  { groups, measures }: Report,
): Cell[] {
  const figures = figuresOf(measures);
  return rows.slice(0, MOST_ROWS).map((row) => ({
    keys: groups.map((_, at) => groupValue(row[`g${at}`])),
    figures: figures.map((_, at) => {
      const value = row[`v${at}`];
      return typeof value === 'number' ? value : null;
    }),
  }));
}

/** The measures of a cell. */
export function valuesOf({ figures }: Cell, measures: readonly Measure[]): readonly (number | null)[] {
  const asked = figuresOf(measures);
  const figure = (of: MeasureKind, field: string | null) =>
    figures[asked.findIndex((one) => one.of === of && one.field === field)] ?? null;
  return measures.map(({ of, field }) => {
    if (of !== 'avg') return figure(of, field);
    const [sum, count] = [figure('sum', field), figure('count', field)];
    return sum === null || !count ? null : sum / count;
  });
}

/** Joins groups to one, for totals: the figures are those of all their documents. */
export function joined(
  cells: readonly Cell[],
  keys: readonly GroupValue[],
  measures: readonly Measure[],
): Cell {
  const figures = figuresOf(measures).map(({ of }, at) => {
    const values = cells.map((cell) => cell.figures[at] ?? null).filter((value) => value !== null);
    if (values.length === 0) return of === 'count' ? 0 : null;
    if (of === 'min') return Math.min(...values);
    if (of === 'max') return Math.max(...values);
    // Sums of doubles have noise beyond 15 digits.
    return Number(values.reduce((sum, value) => sum + value, 0).toPrecision(15));
  });
  return { keys, figures };
}

/** The condition on the documents of a group, as a list takes it. */
export function conditionOf({ field, by }: Group, value: GroupValue): Filter {
  if (value === null) return [field, 'is', 'not set'];
  return by === null ? [field, '=', value] : [field, 'between', [value, lastDay(String(value), by)]];
}

/** The last day of the period that begins on a day. */
export function lastDay(first: string, by: Period): string {
  return nextPeriod(first, by, -1);
}

/** The first day of the following period, or with `days` some days from it; empty after the year 9999. */
export function nextPeriod(first: string, by: Period, days = 0): string {
  const [year = 0, month = 1, day = 1] = first.split('-').map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const months = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[by];
  // The first week begins on a Monday, the first day of year 1.
  const more = { day: 1, week: 7 - date.getUTCDay(), month: 0, quarter: 0, year: 0 }[by];
  date.setUTCFullYear(year, month - 1 + months, day + more + days);
  return date.getUTCFullYear() > 9999 ? '' : date.toISOString().slice(0, 10);
}

function figuresOf(measures: readonly Measure[]): readonly Figure[] {
  const found: Figure[] = [];
  const add = (of: Figure['of'], field: string | null) => {
    if (!found.some((one) => one.of === of && one.field === field)) found.push({ of, field });
  };
  for (const { of, field } of measures) {
    if (of !== 'avg') add(of, field);
    else for (const part of ['sum', 'count'] as const) add(part, field);
  }
  return found;
}

function callOf({ of, field }: Measure): string {
  return `${of}(${field ?? '*'})`;
}

/** A group as text of `fields` and `group_by`. */
function textOf({ field, by }: Group): string {
  return by === null ? field : `${field}:${by}`;
}

function groupOf(wire: unknown): Group[] {
  const { field, by } = recordOf(wire);
  if (typeof field !== 'string' || !/^\w+$/.test(field)) return [];
  return [{ field, by: PERIODS.find((one) => one === by) ?? null }];
}

function measureOf(wire: unknown): Measure[] {
  const { of, field } = recordOf(wire);
  const kind = MEASURES.find((one) => one === of);
  if (!kind) return [];
  if (kind === 'count') return [COUNT];
  return typeof field === 'string' && /^\w+$/.test(field) ? [{ of: kind, field }] : [];
}

function groupValue(value: unknown): GroupValue {
  if (value === undefined || value === '') return null;
  return typeof value === 'number' || value === null ? value : String(value);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
