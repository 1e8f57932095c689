/** The thread of a `PinnedThread`: keeps one state and reads it, until the thread is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Row } from '../database.ts';
import type { LogPlace } from '../followed-log.ts';
import type { Statement } from '../sql.ts';
import { StatePins } from './state-pins.ts';

/** What is known of the state. */
export interface PinnedFacts {
  readonly place: LogPlace;
  readonly copied: number;
  readonly pages: number;
  readonly pageSize: number;
}

/** Message from the thread: first the facts, then the rows of each statement. */
export type PinReply =
  | { readonly facts: PinnedFacts }
  | { readonly rows: readonly Row[] }
  | { readonly message: string };

const pins = new StatePins(String(workerData));
const { place, copied, pages, all } = pins.pin();
say({ facts: { place, copied, pages, pageSize: pins.pageSize } });

parentPort?.on('message', (statement: Statement) => {
  try {
    say({ rows: all(statement) });
  } catch (error) {
    say({ message: error instanceof Error ? error.message : String(error) });
  }
});

function say(reply: PinReply): void {
  parentPort?.postMessage(reply);
}
