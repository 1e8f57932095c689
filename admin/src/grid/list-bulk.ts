import { isApiError } from '../data/api-error.ts';
import type { ListQuery } from '../data/documents.ts';
import { send } from '../data/wire.ts';
import { eachPage } from './list-requests.ts';
import { isChosen, type Selection } from './list-selection.ts';

/** The change to each selected document: new field values, or deletion. */
export type BulkChange =
  | { readonly kind: 'set'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'delete' };

export interface BulkFailure {
  readonly name: string;
  readonly reason: string;
}

/** Progress of a bulk action. */
export interface BulkProgress {
  readonly done: number;
  readonly total: number;
  readonly failures: readonly BulkFailure[];
}

/** Documents per request: few, so that a stop takes effect soon and progress is visible. */
const CHUNK = 50;
/** Names per request. The server's audit log would record a larger request as an export. */
const NAMES = 1_000;

/** Names of all selected documents in list order. Exact, because a bulk action follows. */
export async function chosenNames(
  doctype: string,
  query: ListQuery,
  selection: Selection,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (found: number) => void },
): Promise<readonly string[]> {
  if (selection.mode === 'some') return [...selection.names];
  const names: string[] = [];
  for await (const rows of eachPage(doctype, query, NAMES, signal)) {
    for (const row of rows) {
      const name = String(row['name']);
      if (isChosen(selection, name)) names.push(name);
    }
    onProgress(names.length);
  }
  return names;
}

/**
 * Changes documents independently: a failure does not stop the others. If aborted, returns the results so
 * far.
 */
export async function runBulk(
  doctype: string,
  names: readonly string[],
  change: BulkChange,
  {
    signal,
    onProgress,
  }: { readonly signal: AbortSignal; readonly onProgress: (progress: BulkProgress) => void },
): Promise<BulkProgress> {
  let progress: BulkProgress = { done: 0, total: names.length, failures: [] };
  for (let at = 0; at < names.length && !signal.aborted; at += CHUNK) {
    const some = names.slice(at, at + CHUNK);
    const failures = await runChunk(doctype, some, change);
    progress = {
      done: progress.done + some.length,
      total: names.length,
      failures: [...progress.failures, ...failures],
    };
    onProgress(progress);
  }
  return progress;
}

interface WireReport {
  readonly failed: readonly { readonly name: string | number; readonly error: string }[];
}

/** Attempts after no reply or a busy server. The idempotency key prevents a second execution. */
const TRIES = 4;

async function runChunk(
  doctype: string,
  names: readonly string[],
  change: BulkChange,
): Promise<readonly BulkFailure[]> {
  const path = `/api/v2/document/${encodeURIComponent(doctype)}/${change.kind === 'delete' ? 'bulk_delete' : 'bulk_update'}`;
  const body =
    change.kind === 'delete' ? { names } : { docs: names.map((name) => ({ ...change.fields, name })) };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const reply = await send('POST', path, { body, headers });
      const { data } = reply.body as { data: WireReport };
      return data.failed.map(({ name, error }) => ({ name: String(name), reason: error }));
    } catch (error) {
      if (!isApiError(error) || ![0, 409, 429, 503].includes(error.status) || attempt === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfter ?? attempt) * 1_000));
    }
  }
}
