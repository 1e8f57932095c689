import { queryOptions } from '@tanstack/react-query';
import type { LoadMode, LoadStatus } from '../../../../src/load/data-load.ts';
import type { LoadProblem, ProblemKind } from '../../../../src/load/problems.ts';
import type { LoadedRecord } from '../../../../src/load/read-records.ts';
import { methodPath, readMethod } from '../../data/api.ts';
import { type Doc, readDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { addressOf } from '../../data/wire.ts';

/** The doctype of imports and loads. */
export const DATA_LOAD = 'Data Load';

const COUNTS = [
  'done',
  'total',
  'inserted',
  'updated',
  'unchanged',
  'skipped',
  'failed',
  'broken_links',
  'undone',
  'kept',
] as const;
export type LoadCounts = Readonly<Record<(typeof COUNTS)[number], number>>;

/** An import, or a load of the command line. */
export interface Load {
  readonly name: string;
  readonly owner: string;
  readonly creation: string;
  readonly kind: 'Import' | 'Load';
  /** The name of the file, or the address of the site. */
  readonly source: string;
  /** '' for several. */
  readonly doctype: string;
  /** The address of the uploaded file; '' for a load of the command line. */
  readonly file: string;
  readonly mode: LoadMode;
  readonly keyField: string | null;
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly status: LoadStatus;
  readonly error: string;
  readonly counts: LoadCounts;
  /** Percent of the file that is read. */
  readonly part: number;
  /** Records per second. */
  readonly rate: number;
  /** Seconds. */
  readonly remaining: number;
  /** '' while it is not. */
  readonly finished: string;
}

export function loadOf(doc: Doc): Load {
  const text = (key: string) => (doc[key] === undefined || doc[key] === null ? '' : String(doc[key]));
  const number = (key: string) => Number(doc[key] ?? 0);
  return {
    name: doc.name,
    owner: doc.owner,
    creation: doc.creation,
    kind: text('kind') as Load['kind'],
    source: text('source'),
    doctype: text('reference_doctype'),
    file: text('import_file'),
    mode: text('mode') as LoadMode,
    keyField: text('key_field') || null,
    mapping: objectOf(doc['mapping']),
    options: objectOf(doc['options']),
    status: text('status') as LoadStatus,
    error: text('error'),
    counts: Object.fromEntries(COUNTS.map((key) => [key, number(key)])) as LoadCounts,
    part: number('part'),
    rate: number('rate'),
    remaining: number('remaining'),
    finished: text('finished'),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const parsed: unknown = typeof value === 'string' && value !== '' ? JSON.parse(value) : value;
  return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {};
}

/** True while the server works on it. */
export function isBusy({ status }: Pick<Load, 'status'>): boolean {
  return status === 'Checking' || status === 'Running' || status === 'Undoing';
}

/** Milliseconds between two looks at the progress, which the server writes without an event. */
const LOOK = 1_000;

export function loadQuery(name: string) {
  return queryOptions({
    queryKey: keys.beside(DATA_LOAD, name, 'load'),
    queryFn: async ({ signal }) => loadOf((await readDocument(DATA_LOAD, name, { signal })).doc),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isBusy(data) ? LOOK : false),
  });
}

/** Entries of the log, and records, that are read at once. */
export const PAGE = 100;

/** A page of the log; '' for all kinds. */
export function readProblems(
  name: string,
  kind: ProblemKind | '',
  start: number,
  signal: AbortSignal,
): Promise<readonly LoadProblem[]> {
  return readMethod('chancery.load.problems', { name, kind, start, limit: PAGE }, { signal });
}

/** A page of the records that a load has stored, behind the one with the number `after`. */
export function readRecords(
  name: string,
  after: number,
  signal: AbortSignal,
): Promise<readonly LoadedRecord[]> {
  return readMethod('chancery.load.records', { name, after, limit: PAGE }, { signal });
}

/** The address of the rows that were not imported, as CSV with the reasons. */
export function addressOfReport(name: string): string {
  return addressOf(methodPath('chancery.import.report'), { name });
}
