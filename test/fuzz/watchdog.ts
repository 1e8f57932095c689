import { Worker } from 'node:worker_threads';

/** CPU that the process may take, milliseconds, while its event loop does not turn. */
const MOST = 60_000;
const LENGTH = 64 * 1024;

/**
 * Ends the process when one request holds the event loop, and says which: nothing in the same thread could.
 * It counts CPU, so that a machine that is busy or asleep is no hang.
 */
export class Watchdog {
  readonly #beats = new Int32Array(new SharedArrayBuffer(8));
  readonly #text = new Uint8Array(new SharedArrayBuffer(LENGTH));
  readonly #worker: Worker;
  readonly #timer: NodeJS.Timeout;
  readonly #running = new Set<string>();

  constructor() {
    const workerData = { beats: this.#beats, text: this.#text, most: MOST };
    this.#worker = new Worker(`(${watch.toString()})(require('node:worker_threads').workerData)`, {
      eval: true,
      workerData,
    });
    this.#worker.unref();
    this.#timer = setInterval(() => Atomics.add(this.#beats, 0, 1), 500).unref();
  }

  /** Does it while the watchdog knows what it is. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.#running.add(what);
    this.#write();
    try {
      return await work();
    } finally {
      this.#running.delete(what);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#worker.terminate();
  }

  #write(): void {
    const shown = [...this.#running].map((one) => one.replaceAll(/\s+/g, ' ').slice(0, 500)).join('\n');
    const { written } = new TextEncoder().encodeInto(shown, this.#text);
    Atomics.store(this.#beats, 1, written);
  }
}

// Runs in a thread of its own, and so knows nothing of this file.
function watch({ beats, text, most }: { beats: Int32Array; text: Uint8Array; most: number }): void {
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  let seen = Atomics.load(beats, 0);
  let since = spent();
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    if (now !== seen) {
      seen = now;
      since = spent();
    } else if (spent() - since > most) {
      const running = Buffer.from(text.slice(0, Atomics.load(beats, 1))).toString();
      process
        .getBuiltinModule('node:fs')
        .writeSync(2, `The server hangs with one of these requests:\n${running}\n`);
      process.kill(process.pid, 'SIGKILL');
    }
  }, 1_000);
}
