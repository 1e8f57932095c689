/** What a thread of `ScanPool` runs: one read at a time, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { TooLarge } from '../../kernel/too-large.ts';
import type { Row } from '../database.ts';
import type { Statement } from '../sql.ts';
import { Handle } from './handle.ts';

/** A statement, and how many bytes of text it may give. */
export interface Read extends Statement {
  readonly most: number | undefined;
}

/** To the thread: a read, or the news that the schema changed. */
export type ScanRequest = { readonly read: Read } | { readonly forget: true };

/** From the thread: what came of the read. */
export type ScanReply =
  | { readonly rows: readonly Row[] }
  | { readonly message: string; readonly errcode: number | null; readonly tooLarge: boolean };

const handle = Handle.open(String(workerData), 'scanner');

parentPort?.on('message', (request: ScanRequest) => {
  if ('forget' in request) return handle.forgetStatements();
  parentPort?.postMessage(answer(request.read));
});

// The driver's errors lose their code on the way between threads.
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
