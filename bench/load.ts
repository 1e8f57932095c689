import autocannon from 'autocannon';
import type { Served } from './servers.ts';

/** One request of a workload; called anew for each request sent. */
export type MakeRequest = () => {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
};

export interface Measurement {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU microseconds per request, of the server process and its database server. */
  readonly cpuMicros: number;
  /** Replies that were not 2xx, and errors. */
  readonly failed: number;
}

/** Sends one workload for `seconds` over 32 keep-alive connections. */
export async function measure(server: Served, make: MakeRequest, seconds: number): Promise<Measurement> {
  const before = server.cpuMicros();
  const result = await send(server, make, { connections: 32, duration: seconds });
  const used = server.cpuMicros() - before;
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMicros: used / Math.max(1, result.requests.total),
    failed: failed(result),
  };
}

/**
 * Sends so many requests, over so many connections, spread evenly over these servers.
 * @throws Error when one of them fails
 */
export async function sendAll(
  servers: readonly Served[],
  make: MakeRequest,
  amount: number,
  connections: number,
): Promise<void> {
  const share = (all: number) => Math.ceil(all / servers.length);
  const results = await Promise.all(
    servers.map((server) => send(server, make, { connections: share(connections), amount: share(amount) })),
  );
  const lost = results.reduce((sum, result) => sum + failed(result), 0);
  if (lost > 0) throw new Error(`${lost} of ${amount} requests failed`);
}

function send(
  server: Served,
  make: MakeRequest,
  load: Pick<autocannon.Options, 'connections' | 'duration' | 'amount'>,
) {
  return autocannon({
    ...load,
    url: server.url,
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, body, headers } = make();
          request.method = method;
          request.path = path;
          request.headers = { ...headers, authorization: server.authorization };
          if (body !== undefined) request.body = body;
          return request;
        },
      },
    ],
  });
}

function failed(result: autocannon.Result): number {
  return result.non2xx + result.errors + result.timeouts;
}

export function median<T>(items: readonly T[], key: (item: T) => number): number {
  return quantile(items.map(key), 0.5);
}

/** The value below which this share of the figures lies; NaN of none. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
