/** What a thread of `ScanPool` runs: one read at a time, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Row } from '../database.ts';
import type { Statement } from '../sql.ts';
import { Handle } from './handle.ts';

/** To the thread: a read, or the news that the schema changed. */
export type ScanRequest = { readonly read: Statement } | { readonly forget: true };

/** From the thread: what came of the read. */
export type ScanReply =
  | { readonly rows: readonly Row[] }
  | { readonly message: string; readonly errcode: number | null };

const handle = Handle.open(String(workerData), 'scanner');

parentPort?.on('message', (request: ScanRequest) => {
  if ('forget' in request) return handle.forgetStatements();
  parentPort?.postMessage(answer(request.read));
});

// The driver's errors lose their code on the way between threads.
function answer(statement: Statement): ScanReply {
  try {
    return { rows: handle.all(statement) };
  } catch (error) {
    const errcode =
      error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
        ? error.errcode
        : null;
    return { message: error instanceof Error ? error.message : String(error), errcode };
  }
}
