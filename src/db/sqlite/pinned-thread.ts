import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../kernel/code-place.ts';
import type { Row } from '../database.ts';
import type { Statement } from '../sql.ts';
import type { PinnedFacts, PinReply } from './pin-worker.ts';

/**
 * Keeps a committed state on a thread, which reads it without holding up the event loop: counts of rows take
 * seconds.
 */
export class PinnedThread {
  readonly #worker: Worker;
  readonly facts: PinnedFacts;

  private constructor(worker: Worker, facts: PinnedFacts) {
    this.#worker = worker;
    this.facts = facts;
  }

  /** @throws UnusableDatabase, or ServiceUnavailableError when other processes commit all the time */
  static async open(path: string): Promise<PinnedThread> {
    const worker = new Worker(moduleUrl('src/db/sqlite/pin-worker'), { workerData: path });
    const reply = await replyOf(worker);
    if (!('facts' in reply)) throw new Error('the thread did not begin with its state');
    return new PinnedThread(worker, reply.facts);
  }

  /** One statement after the other: await each. */
  async all(statement: Statement): Promise<readonly Row[]> {
    this.#worker.postMessage({ text: statement.text, values: statement.values });
    const reply = await replyOf(this.#worker);
    if ('rows' in reply) return reply.rows;
    throw new Error('message' in reply ? reply.message : 'the thread gave no rows');
  }

  /** Gives up the state. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function replyOf(worker: Worker): Promise<PinReply> {
  const ended = new AbortController();
  const gone = () => ended.abort(new Error('the thread that keeps a state of the database ended'));
  worker.once('exit', gone);
  try {
    // A failure of the thread rejects this.
    const [reply] = await once(worker, 'message', { signal: ended.signal });
    return reply as PinReply;
  } finally {
    worker.off('exit', gone);
  }
}
