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
  const result = await autocannon({
    url: server.url,
    connections: 32,
    duration: seconds,
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
  const used = server.cpuMicros() - before;
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMicros: used / Math.max(1, result.requests.total),
    failed: result.non2xx + result.errors + result.timeouts,
  };
}

export function median<T>(items: readonly T[], key: (item: T) => number): number {
  return quantile(items.map(key), 0.5);
}

/** The value below which this share of the figures lies; NaN of none. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
