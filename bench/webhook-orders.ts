import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the site of the webhook benchmark can be told to do. */
export type Order =
  | { readonly do: 'doctype'; readonly name: string }
  | {
      readonly do: 'webhooks';
      readonly doctype: string;
      readonly urls: readonly string[];
      readonly timeout: number;
    }
  /** Makes documents, many in a transaction. */
  | { readonly do: 'fill'; readonly doctype: string; readonly documents: number }
  /** Lets so many deliveries wait, as copies of one. */
  | { readonly do: 'wait'; readonly doctype: string; readonly deliveries: number }
  | { readonly do: 'start' }
  /** Starts delivering, and waits until all is delivered and recorded. */
  | { readonly do: 'drain' }
  /** Makes documents one in a transaction, 64 at a time. */
  | { readonly do: 'saves'; readonly doctype: string; readonly documents: number }
  /** Makes a document `every` so many milliseconds. */
  | { readonly do: 'pace'; readonly doctype: string; readonly documents: number; readonly every: number }
  | { readonly do: 'stop' };

export interface Answers {
  readonly doctype: null;
  readonly webhooks: null;
  readonly fill: null;
  readonly wait: null;
  readonly start: null;
  /** CPU microseconds of the process in all, and how long it took. */
  readonly drain: { readonly cpuMicros: number; readonly seconds: number };
  /** CPU microseconds of the process per save. */
  readonly saves: number;
  /** Names, and when their commit was known: nanoseconds of the machine's monotonic clock. */
  readonly pace: readonly (readonly [string, string])[];
  readonly stop: null;
}

/** A site in a process of its own. */
export interface BenchSite {
  readonly pid: number;
  tell<K extends Order['do']>(order: Extract<Order, { do: K }>): Promise<Answers[K]>;
  stop(): Promise<void>;
}

/** Starts an empty site; `database` is null for SQLite. */
export async function startBenchSite(data: string, database: string | null): Promise<BenchSite> {
  const child = fork(fileURLToPath(new URL('webhook-site.ts', import.meta.url)), {
    execArgv: ['--conditions=source'],
    env: { ...process.env, BENCH_DATA: data, BENCH_DATABASE: database ?? '' },
  });
  const ended = once(child, 'exit');
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      const fail = () => reject(new Error('the site of the benchmark ended'));
      child.once('exit', fail);
      child.once('message', (message: { answer: unknown }) => {
        child.off('exit', fail);
        resolve(message.answer);
      });
    });
  await answer();
  return {
    pid: child.pid ?? 0,
    async tell(order) {
      child.send(order);
      return (await answer()) as Answers[typeof order.do];
    },
    async stop() {
      child.send({ do: 'stop' });
      await ended;
    },
  };
}
