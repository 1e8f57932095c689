import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import type { Filter } from '../../data/documents.ts';
import { Icon } from '../../widgets/icon.tsx';
import { Muted } from '../../widgets/layout.tsx';
import css from './report.module.css';
import { conditionOf, type GroupValue, joined, MOST_ROWS, type Report, valuesOf } from './report.ts';
import { type GridColumn, type GridRow, gridOf, type ReportGrid } from './report-grid.ts';
import { figureText, groupLabel, groupText, measureLabel } from './report-words.ts';
import type { ReportResult } from './use-report.ts';

export interface ReportTableProps {
  readonly result: ReportResult;
  /** Accessible name. */
  readonly title: string;
  /** The path of the list of a group's documents. */
  readonly pathOf?: ((conditions: readonly Filter[]) => string) | undefined;
  /** Sorts by a column of groups or by a measure. */
  readonly onSort?: ((by: Report['sort']['by']) => void) | undefined;
}

/** The groups of a report and their figures, with totals. A group leads to the list of its documents. */
export function ReportTable(props: ReportTableProps) {
  const { result, title } = props;
  const { isCut } = result;
  const grid = gridOf(result);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard */}
      <section className={css['tableWrap']} aria-label={title} tabIndex={0}>
        <table className={css['table']}>
          <Head {...props} grid={grid} />
          <tbody>
            {grid.rows.map((row, at) => (
              <Row
                key={JSON.stringify(row.keys)}
                {...{ row, grid }}
                {...props}
                span={spanOf(result, grid, at)}
              />
            ))}
          </tbody>
          <Foot {...props} grid={grid} />
        </table>
      </section>
      {isCut && (
        <Muted isSmall>
          {t(
            'The report has only the first {count} groups. Filter the records, or group them more coarsely',
            {
              count: formatNumber(MOST_ROWS),
            },
          )}
        </Muted>
      )}
    </>
  );
}

function Head({ result, grid, onSort }: ReportTableProps & { readonly grid: ReportGrid }) {
  const { meta, report, titleOf } = result;
  const { groups, measures, sort } = report;
  const second = groups[1];
  const isPivot = report.isPivot && second !== undefined;
  const sign = (by: Report['sort']['by']) =>
    sort.by === by ? (sort.isDescending ? 'descending' : 'ascending') : undefined;
  const head = (by: Report['sort']['by'], text: string) => (
    <SortHead text={text} sorted={sign(by)} onSort={onSort && (() => onSort(by))} />
  );
  const rowSpan = isPivot && measures.length > 1 ? 2 : 1;
  const values = isPivot ? [...new Set(grid.columns.map(({ value }) => value))] : [];
  const ofMeasure = ({ measure }: GridColumn) => {
    const found = measures[measure];
    return found ? measureLabel(meta, found) : '';
  };
  return (
    <thead>
      <tr>
        {groups.slice(0, grid.depth).map((group, at) => (
          <th
            key={group.field}
            scope="col"
            rowSpan={rowSpan}
            className={pinOf(grid)}
            aria-sort={at === 0 ? sign('group') : undefined}
          >
            {at === 0 ? head('group', groupLabel(meta, group)) : groupLabel(meta, group)}
          </th>
        ))}
        {isPivot
          ? values.map((value) => (
              <th
                key={JSON.stringify(value ?? [value])}
                scope="colgroup"
                colSpan={measures.length}
                className={css['figureHead']}
              >
                {value === undefined
                  ? measures.length > 1
                    ? t('Total')
                    : head(0, t('Total'))
                  : groupText(meta, second, value, titleOf)}
              </th>
            ))
          : grid.columns.map((column) => (
              <th
                key={keyOf(column)}
                scope="col"
                className={css['figureHead']}
                aria-sort={sign(column.measure)}
              >
                {grid.depth > 0 ? head(column.measure, ofMeasure(column)) : ofMeasure(column)}
              </th>
            ))}
      </tr>
      {rowSpan > 1 && (
        <tr>
          {grid.columns.map((column) => (
            <th key={keyOf(column)} scope="col" className={css['figureHead']}>
              {column.value === undefined ? head(column.measure, ofMeasure(column)) : ofMeasure(column)}
            </th>
          ))}
        </tr>
      )}
    </thead>
  );
}

function SortHead({
  text,
  sorted,
  onSort,
}: {
  readonly text: string;
  readonly sorted: 'ascending' | 'descending' | undefined;
  readonly onSort: (() => void) | undefined;
}) {
  if (!onSort) return text;
  return (
    <button type="button" className={css['sort']} onClick={onSort}>
      {text}
      <span data-sorted={sorted}>
        <Icon name={sorted === 'ascending' ? 'up' : 'down'} size={12} />
      </span>
    </button>
  );
}

/** Rows of a first group stand together in the order of the groups, and name it once. 0: named above. */
function spanOf({ report }: ReportResult, { rows, depth }: ReportGrid, at: number): number {
  if (depth < 2 || report.sort.by !== 'group') return 1;
  const isSame = (other: number) => rows[other]?.keys[0] === rows[at]?.keys[0] && rows[other] !== undefined;
  if (isSame(at - 1)) return 0;
  let end = at + 1;
  while (isSame(end)) end += 1;
  return end - at;
}

function Row({
  row: { keys, values },
  span,
  grid,
  result,
  pathOf,
}: ReportTableProps & { readonly row: GridRow; readonly grid: ReportGrid; readonly span: number }) {
  const { meta, report, titleOf } = result;
  const groups = report.groups.slice(0, grid.depth);
  const conditions = groups.map((group, at) => conditionOf(group, keys[at] ?? null));
  return (
    <tr>
      {groups.map((group, at) =>
        at === 0 && span === 0 ? null : (
          <th
            key={group.field}
            scope={span > 1 && at === 0 ? 'rowgroup' : 'row'}
            rowSpan={at === 0 && span > 1 ? span : undefined}
            className={pinOf(grid)}
          >
            <Linked pathOf={pathOf} conditions={conditions.slice(0, at + 1)}>
              {groupText(meta, group, keys[at] ?? null, titleOf)}
            </Linked>
            {at === 0 && span > 1 && <Subtotal result={result} of={keys[0] ?? null} />}
          </th>
        ),
      )}
      {grid.columns.map((column, at) => (
        <td key={keyOf(column)}>
          <Figure {...{ result, column, pathOf, conditions }} value={values[at]} />
        </td>
      ))}
    </tr>
  );
}

/** The figures of all rows of a first group, below its name. */
function Subtotal({ result, of }: Pick<ReportTableProps, 'result'> & { readonly of: GroupValue }) {
  const { meta, report, cells } = result;
  const { measures } = report;
  const own = cells.filter(({ keys: [value = null] }) => value === of);
  const texts = valuesOf(joined(own, [], measures), measures).flatMap((value, at) => {
    const measure = measures[at];
    return measure ? [figureText(meta, measure, value)] : [];
  });
  return <span className={css['subtotal']}>{t('Total: {value}', { value: texts.join(' · ') })}</span>;
}

function Foot({ result, grid, pathOf }: ReportTableProps & { readonly grid: ReportGrid }) {
  return (
    <tfoot>
      <tr>
        {grid.depth > 0 && (
          <th scope="row" colSpan={grid.depth} className={pinOf(grid)}>
            {result.isCut ? t('Total of the groups above') : t('Total')}
          </th>
        )}
        {grid.columns.map((column, at) => (
          <td key={keyOf(column)}>
            <Figure
              {...{ result, column }}
              pathOf={result.isCut ? undefined : pathOf}
              conditions={[]}
              value={grid.totals[at]}
            />
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

/** A figure, which leads to the documents that it counts. */
function Figure({
  result,
  column,
  value,
  conditions,
  pathOf,
}: Pick<ReportTableProps, 'result' | 'pathOf'> & {
  readonly column: GridColumn;
  readonly value: number | null | undefined;
  readonly conditions: readonly Filter[];
}) {
  const { meta, report } = result;
  const measure = report.measures[column.measure];
  const [, second] = report.groups;
  const text = measure ? figureText(meta, measure, value ?? null) : '';
  if (value == null) return text;
  const own = column.value === undefined || !second ? [] : [conditionOf(second, column.value)];
  return (
    <Linked pathOf={pathOf} conditions={[...conditions, ...own]}>
      {text}
    </Linked>
  );
}

function Linked({
  pathOf,
  conditions,
  children,
}: Pick<ReportTableProps, 'pathOf'> & {
  readonly conditions: readonly Filter[];
  readonly children: string;
}) {
  const text = <bdi>{children}</bdi>;
  return pathOf ? <PathLink to={pathOf(conditions)}>{text}</PathLink> : text;
}

// With two columns of names there is no room beside them on a phone.
function pinOf({ depth }: ReportGrid): string | undefined {
  return depth === 1 ? css['pin'] : undefined;
}

function keyOf({ value, measure }: GridColumn): string {
  return JSON.stringify([value === undefined ? 'all' : [value], measure]);
}
