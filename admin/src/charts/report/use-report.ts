import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { listRows } from '../../data/documents.ts';
import { useChanges } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { useTitleOf, wantTitles } from '../../meta/link-titles.ts';
import type { Meta } from '../../meta/meta.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import { cellsOf, MOST_ROWS, queryOf, type Report, type ReportSource } from './report.ts';
import type { ReportCells } from './report-grid.ts';
import { fieldOfGroup, optionsOfGroup } from './report-words.ts';
import { useCurrencies } from './use-currencies.ts';

/** A report that has run. */
export interface ReportResult extends ReportCells {
  readonly meta: Meta;
  /** There are more groups than the report shows. */
  readonly isCut: boolean;
  /** Titles of linked documents; undefined while they load. */
  readonly titleOf: (doctype: string, name: string) => string | undefined;
}

/** Milliseconds between two runs of a report whose documents keep changing. */
const PAUSE = 5_000;

/** Runs a report with the rights of the viewer, and again when its documents change. */
export function useReport(source: ReportSource) {
  const { doctype, report } = source;
  const query = queryOf(source);
  const bundle = useQuery(metaQuery(doctype));
  const rows = useQuery({
    queryKey: keys.list(doctype, query),
    queryFn: ({ signal }) => listRows(doctype, query, { signal }),
    placeholderData: keepPreviousData,
  });
  useRepeated(doctype, () => void rows.refetch());
  const meta = useCurrencies(source, bundle.data?.meta);
  // The former rows stay until the new ones are there, but they have other columns.
  const isCurrent = rows.data !== undefined && !rows.isPlaceholderData;
  const held = useRef<Omit<ReportResult, 'titleOf'> | null>(null);
  const key = JSON.stringify(report);
  const fresh = useMemo(
    () => (meta && isCurrent && rows.data ? resultOf(meta, JSON.parse(key) as Report, rows.data) : null),
    [meta, isCurrent, rows.data, key],
  );
  if (fresh) held.current = fresh;
  const titleOf = useGroupTitles(fresh);
  const shown = fresh ?? held.current;
  return {
    result: shown && { ...shown, titleOf },
    error: rows.error ?? bundle.error,
    isRunning: rows.isFetching,
    retry: () => void (bundle.isError ? bundle.refetch() : rows.refetch()),
  };
}

function resultOf(
  meta: Meta,
  report: Report,
  rows: readonly Readonly<Record<string, unknown>>[],
): Omit<ReportResult, 'titleOf'> {
  return {
    meta,
    report,
    cells: cellsOf(rows, report),
    options: report.groups.map((group) => optionsOfGroup(meta, group)),
    isCut: rows.length > MOST_ROWS,
  };
}

function useGroupTitles(result: Omit<ReportResult, 'titleOf'> | null): ReportResult['titleOf'] {
  useEffect(() => {
    if (!result) return;
    for (const [at, group] of result.report.groups.entries()) {
      const field = fieldOfGroup(result.meta, group);
      if (field.fieldtype === 'Link')
        wantTitles(field.options, [
          ...new Set(result.cells.map(({ keys: values }) => String(values[at] ?? ''))),
        ]);
    }
  }, [result]);
  return useTitleOf();
}

// Many changes in a row would run the report for each of them.
function useRepeated(doctype: string, run: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef(0);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges([doctype], () => {
    clearTimeout(timer.current);
    const wait = Math.max(200, last.current + PAUSE - performance.now());
    timer.current = setTimeout(() => {
      last.current = performance.now();
      latest.current();
    }, wait);
  });
}
