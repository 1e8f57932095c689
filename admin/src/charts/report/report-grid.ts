import {
  type Cell,
  type GroupValue,
  joined,
  nextPeriod,
  type Period,
  type Report,
  valuesOf,
} from './report.ts';

/** Steps of a filled time axis: more would be no axis. */
const MOST_STEPS = 400;

/** A row of a report: a group, or the group of the first field when the second one makes the columns. */
export interface GridRow {
  readonly keys: readonly GroupValue[];
  /** Along the columns. */
  readonly values: readonly (number | null)[];
}

/** A column of figures: a measure, for one value of the second group or for all. */
export interface GridColumn {
  /** Undefined: of all values. */
  readonly value: GroupValue | undefined;
  /** A position in the report's measures. */
  readonly measure: number;
}

/** A report arranged in rows and columns. */
export interface ReportGrid {
  /** How many of the report's groups make the rows: the keys of each row. */
  readonly depth: number;
  readonly columns: readonly GridColumn[];
  readonly rows: readonly GridRow[];
  /** Of all rows. */
  readonly totals: readonly (number | null)[];
}

/** The groups of a report that has run. */
export interface ReportCells {
  readonly report: Report;
  readonly cells: readonly Cell[];
  /** Of each group's field: the options of a Select in their order, or none. */
  readonly options: readonly (readonly string[])[];
}

/** Arranges groups as the report says, or with the second group in columns. */
export function gridOf(result: ReportCells, isPivot = result.report.isPivot): ReportGrid {
  const { report } = result;
  const cells = sortedCells(result);
  const { measures } = report;
  const total = valuesOf(joined(cells, [], measures), measures);
  if (!isPivot || report.groups.length < 2) {
    return {
      depth: report.groups.length,
      columns: measures.map((_, measure) => ({ value: undefined, measure })),
      rows:
        report.groups.length === 0
          ? []
          : cells.map((cell) => ({ keys: cell.keys, values: valuesOf(cell, measures) })),
      totals: total,
    };
  }
  const across = pivotValues(cells, result.options[1] ?? []);
  const byRow = Map.groupBy(cells, ({ keys }) => keys[0] ?? null);
  const along = (of: readonly Cell[]) => {
    const byColumn = Map.groupBy(of, ({ keys }) => keys[1] ?? null);
    const all = valuesOf(joined(of, [], measures), measures);
    const each = across.map((value) => {
      const found = byColumn.get(value);
      return found ? valuesOf(joined(found, [], measures), measures) : measures.map(() => null);
    });
    return [...each.flat(), ...all];
  };
  const rows = [...byRow].map(([key, of]) => ({ keys: [key], values: along(of) }));
  return {
    depth: 1,
    columns: [
      ...across.flatMap((value) => measures.map((_, measure) => ({ value, measure }))),
      ...measures.map((_, measure) => ({ value: undefined, measure })),
    ],
    rows: sortedRows(rows, report),
    totals: along(cells),
  };
}

// The reply is sorted by cells. A row of several cells has its place by its total.
function sortedRows(rows: readonly GridRow[], { sort, measures }: Report): readonly GridRow[] {
  const { by } = sort;
  if (typeof by !== 'number') return rows;
  const at = (row: GridRow) => row.values.at(by - measures.length) ?? Number.NEGATIVE_INFINITY;
  return rows.toSorted((a, b) => (sort.isDescending ? at(b) - at(a) : at(a) - at(b)));
}

// The server sorts the values of a Select by their text. People expect them as in its options.
function sortedCells({ report: { sort, groups }, cells, options }: ReportCells): readonly Cell[] {
  if (sort.by !== 'group' || options.every((one) => one.length === 0)) return cells;
  const sign = sort.isDescending ? -1 : 1;
  const met = new Map<GroupValue, number>();
  for (const { keys } of cells) if (!met.has(keys[0] ?? null)) met.set(keys[0] ?? null, met.size);
  const ranks = groups.map((_, at) => {
    const own = options[at] ?? [];
    if (own.length > 0) return (value: GroupValue) => sign * rankOf(own, value);
    return at === 0 ? (value: GroupValue) => met.get(value) ?? 0 : () => 0;
  });
  return cells.toSorted((a, b) => {
    for (const [at, rank] of ranks.entries()) {
      const difference = rank(a.keys[at] ?? null) - rank(b.keys[at] ?? null);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

// Other values follow the options; those that are not set are last.
function rankOf(options: readonly string[], value: GroupValue): number {
  if (value === null) return options.length + 1;
  const place = options.indexOf(String(value));
  return place === -1 ? options.length : place;
}

function pivotValues(cells: readonly Cell[], options: readonly string[]): readonly GroupValue[] {
  const values = [...new Set(cells.map(({ keys }) => keys[1] ?? null))];
  return values.toSorted((a, b) => {
    const byOption = rankOf(options, a) - rankOf(options, b);
    if (byOption !== 0 || a === null || b === null) return byOption;
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

/** Adds the periods without documents, so that an axis of time has equal steps. `depth` must be 1. */
export function filledRows(rows: readonly GridRow[], by: Period, width: number): readonly GridRow[] {
  const dates = rows.map(({ keys }) => keys[0]).filter((key) => typeof key === 'string');
  const first = dates.reduce((least, date) => (date < least ? date : least), dates[0] ?? '');
  const last = dates.reduce((most, date) => (date > most ? date : most), '');
  const known = new Map(rows.map((row) => [row.keys[0], row]));
  const filled: GridRow[] = [];
  for (let day = first; day !== '' && day <= last; day = nextPeriod(day, by)) {
    filled.push(known.get(day) ?? { keys: [day], values: Array.from({ length: width }, () => null) });
    if (filled.length > MOST_STEPS) return rows.filter(({ keys }) => keys[0] !== null);
  }
  return filled;
}
