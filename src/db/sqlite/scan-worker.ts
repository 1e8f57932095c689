/** A worker thread of `ScanPool`: runs one read at a time, on its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { TooLarge } from '../../kernel/too-large.ts';
import type { Row } from '../database.ts';
import type { Statement } from '../sql.ts';
import { Handle } from './handle.ts';
import { timed } from './meter.ts';

/** A statement, and the most bytes of text in its result. */
export interface Read extends Statement {
  readonly most: number | undefined;
}

/** The file that a thread reads, and its memory for pages; default: as much as any connection. */
export interface ScanPlace {
  readonly path: string;
  readonly cacheKib?: number | undefined;
}

/** Message to the thread: a read, or a notice that the schema changed. */
export type ScanRequest = { readonly read: Read } | { readonly forget: true };

/** Message from the thread: the result of the read. */
export type ScanReply =
  | { readonly rows: readonly Row[] }
  | { readonly message: string; readonly errcode: number | null; readonly tooLarge: boolean };

const { path, cacheKib } = workerData as ScanPlace;
const handle = Handle.open(path, 'reader', timed(Number.POSITIVE_INFINITY), cacheKib);

parentPort?.on('message', (request: ScanRequest) => {
  if ('forget' in request) return handle.forgetStatements();
  parentPort?.postMessage(answer(request.read));
});

// The driver's errors lose their code when they are sent between threads.
function answer(read: Read): ScanReply {
  try {
    return { rows: handle.all(read, read.most) };
  } catch (error) {
    const errcode =
      error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
        ? error.errcode
        : null;
    const message = error instanceof Error ? error.message : String(error);
    return { message, errcode, tooLarge: error instanceof TooLarge };
  }
}
