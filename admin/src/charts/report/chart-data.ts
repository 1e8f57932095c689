import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { COLORS, colorsOf } from './chart-colors.ts';
import { type Cell, COUNT, type GroupValue, isAdditive, joined, type Measure, valuesOf } from './report.ts';
import { filledRows, type GridRow, gridOf } from './report-grid.ts';
import { groupText, measureLabel } from './report-words.ts';
import type { ReportResult } from './use-report.ts';

const MOST_BARS = 30;

/** A group of a chart. */
export interface Category {
  /** Undefined: all groups that have no place of their own. */
  readonly value: GroupValue | undefined;
  readonly label: string;
  /** Where the bars of different groups differ in colour, and in a donut. */
  readonly color: number;
  /** The first measure of all its documents. */
  readonly total: number | null;
}

export interface ChartSeries {
  readonly label: string;
  /** From 1. */
  readonly color: number;
  readonly measure: Measure;
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** Equal steps of time. */
  readonly isTime: boolean;
  /** Documents without a date have no place on an axis of time. */
  readonly hasUndated: boolean;
  readonly categories: readonly Category[];
  readonly series: readonly ChartSeries[];
  /** Each value is a part of a whole. */
  readonly isStackable: boolean;
}

/**
 * What a chart draws: the first group along its axis, the second group or the measures as its series. Groups
 * without a place are joined, so that the parts always add up to the whole.
 */
export function chartData(result: ReportResult): ChartData {
  const { report, cells } = result;
  const [first, second] = report.groups;
  const rows = gridOf(result, second !== undefined).rows;
  const isTime = first !== undefined && first.by !== null && report.sort.by === 'group';
  const axis = isTime && first.by ? inOrder(filledRows(rows, first.by, 0), report.sort.isDescending) : rows;
  const places = placesOf(
    axis.map(({ keys: [value = null] }) => value),
    isTime ? Number.POSITIVE_INFINITY : MOST_BARS,
  );
  const inPlace = splitBy(cells, 0, places);
  const categories = categoriesOf(result, places, inPlace);
  const series = second
    ? seriesOfGroup(result, inPlace)
    : seriesOfMeasures(result).map((one) => ({
        ...one,
        values: inPlace.map((own) => figureOf(own, one.measure, result)),
      }));
  return {
    isTime,
    hasUndated: isTime && rows.some(({ keys }) => keys[0] === null),
    categories,
    series,
    isStackable: series.every(
      ({ measure, values }) => isAdditive(measure) && values.every((value) => (value ?? 0) >= 0),
    ),
  };
}

/** One part of a whole. */
export interface Slice extends Category {
  readonly amount: number;
  readonly share: number;
}

/** The parts of the first measure: the largest ones, and all others as one. */
export function slicesOf(result: ReportResult): readonly Slice[] {
  const { report, cells, options } = result;
  const rows = gridOf(result, report.groups.length === 2).rows;
  const values = rows.map(({ keys: [value = null] }) => value);
  const all = splitBy(cells, 0, values);
  const amounts = new Map(values.map((value, at) => [value, firstOf(all[at] ?? [], result) ?? 0]));
  const amountOf = (value: GroupValue) => amounts.get(value) ?? 0;
  const filled = values.filter((value) => amountOf(value) > 0);
  const largest = filled.toSorted((a, b) => amountOf(b) - amountOf(a));
  // Options keep their order, so that two charts of them can be compared.
  const order = (options[0] ?? []).length > 0 ? filled : largest;
  const places = placesOf(order, COLORS, largest);
  const categories = categoriesOf(result, places, splitBy(cells, 0, places));
  const whole = categories.reduce((sum, { total }) => sum + Math.max(0, total ?? 0), 0);
  return categories.map((one) => {
    const amount = Math.max(0, one.total ?? 0);
    return { ...one, amount, share: whole === 0 ? 0 : amount / whole };
  });
}

// As many values as there is room for, in their order, and `undefined` for all others.
function placesOf(
  values: readonly GroupValue[],
  room: number,
  byImportance = values,
): readonly (GroupValue | undefined)[] {
  if (values.length <= room) return values;
  const kept = new Set(byImportance.slice(0, room - 1));
  return [...values.filter((value) => kept.has(value)), undefined];
}

/** The groups of each place. */
function splitBy(
  cells: readonly Cell[],
  key: number,
  places: readonly (GroupValue | undefined)[],
): readonly (readonly Cell[])[] {
  const known = new Set(places);
  const byPlace = Map.groupBy(cells, ({ keys }) => {
    const value = keys[key] ?? null;
    return known.has(value) ? value : undefined;
  });
  return places.map((place) => byPlace.get(place) ?? []);
}

function categoriesOf(
  result: ReportResult,
  places: readonly (GroupValue | undefined)[],
  inPlace: readonly (readonly Cell[])[],
): readonly Category[] {
  const colors = colorsOf(places, result.options[0] ?? []);
  return places.map((value, at) => ({
    value,
    label: labelOfPlace(result, 0, value, inPlace[at] ?? []),
    color: colors[at] ?? COLORS,
    total: firstOf(inPlace[at] ?? [], result),
  }));
}

// With a second group: its values, or the largest ones, by the first measure.
function seriesOfGroup(result: ReportResult, inPlace: readonly (readonly Cell[])[]): readonly ChartSeries[] {
  const { report, cells, options } = result;
  const [measure = COUNT] = report.measures;
  const values = gridOf(result, true)
    .columns.filter((column) => column.measure === 0 && column.value !== undefined)
    .map(({ value = null }) => value);
  const totals = new Map(
    splitBy(cells, 1, values).map((own, at) => [values[at] ?? null, Math.abs(firstOf(own, result) ?? 0)]),
  );
  const largest = values.toSorted((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  const places = placesOf(values, COLORS, largest);
  const colors = colorsOf(places, options[1] ?? []);
  const ofPlace = splitBy(cells, 1, places);
  const split = inPlace.map((own) => splitBy(own, 1, places));
  return places.map((value, at) => ({
    label: labelOfPlace(result, 1, value, ofPlace[at] ?? []),
    color: colors[at] ?? COLORS,
    measure,
    values: split.map((own) => figureOf(own[at] ?? [], measure, result)),
  }));
}

// A count beside a sum of money would be a line of no height: only measures of one kind have one scale.
function seriesOfMeasures({ meta, report }: ReportResult): readonly Omit<ChartSeries, 'values'>[] {
  const [first = COUNT] = report.measures;
  return report.measures
    .filter(({ of }) => of === first.of)
    .map((measure, at) => ({ label: measureLabel(meta, measure), color: at + 1, measure }));
}

function labelOfPlace(
  { meta, report, titleOf }: ReportResult,
  key: number,
  value: GroupValue | undefined,
  cells: readonly Cell[],
): string {
  const group = report.groups[key];
  if (!group) return '';
  if (value !== undefined) return groupText(meta, group, value, titleOf);
  const count = new Set(cells.map(({ keys }) => keys[key] ?? null)).size;
  return t('Other ({count})', { count: formatNumber(count) });
}

function firstOf(cells: readonly Cell[], result: ReportResult): number | null {
  return figureOf(cells, result.report.measures[0] ?? COUNT, result);
}

function figureOf(cells: readonly Cell[], measure: Measure, { report }: ReportResult): number | null {
  if (cells.length === 0) return null;
  const at = report.measures.indexOf(measure);
  return valuesOf(joined(cells, [], report.measures), report.measures)[at] ?? null;
}

function inOrder(rows: readonly GridRow[], isDescending: boolean): readonly GridRow[] {
  return isDescending ? rows.toReversed() : rows;
}
