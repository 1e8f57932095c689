import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Pool } from 'undici';

/** A request to the server. */
export interface SiteRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The head of a response, and its body, decompressed. The body must be read to its end or discarded. */
export interface SiteResponse {
  readonly status: number;
  /** By lower-case name; of repeated ones, the first. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Readable;
  /** Drops the rest of the body. */
  discard(): void;
}

/** Connections to one server. */
export interface SiteConnection {
  /** Waits for a free connection. Rejects when no response comes. */
  send(request: SiteRequest): Promise<SiteResponse>;
  close(): Promise<void>;
}

export interface SiteConnectionOptions {
  /** Open connections, each with one request at a time; further requests wait. */
  readonly connections: number;
  /** Milliseconds for a connection, and for silence before and within a response. */
  readonly connectTimeout: number;
  readonly silence: number;
}

/**
 * Connections to a server that an operator named at the command line, who may mean one in a private network: no
 * guard judges its address. They follow no redirect, so that no other server is reached. TLS is verified.
 */
export function connectToSite(origin: string, options: SiteConnectionOptions): SiteConnection {
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    connect: { timeout: options.connectTimeout },
    headersTimeout: options.silence,
    bodyTimeout: options.silence,
  });
  return {
    async send({ method, path, headers, body, signal }) {
      const reply = await pool.request({
        method,
        path,
        headers: { 'accept-encoding': 'gzip', ...headers },
        body: body ?? null,
        signal: signal ?? null,
      });
      const named = new Map(
        Object.entries(reply.headers).flatMap(([name, value]) => {
          const [first] = [value].flat();
          return first === undefined ? [] : [[name.toLowerCase(), first] as const];
        }),
      );
      const isPacked = named.get('content-encoding') === 'gzip';
      const plain = isPacked ? unpacked(reply.body) : reply.body;
      const discard = () => {
        plain.on('error', () => {});
        plain.destroy();
      };
      return { status: reply.statusCode, headers: named, body: plain, discard };
    },
    close: () => pool.destroy(),
  };
}

// An error of either stream ends both.
function unpacked(packed: Readable): Readable {
  const plain = createGunzip();
  packed.on('error', (error) => plain.destroy(error));
  plain.on('close', () => packed.destroy());
  return packed.pipe(plain);
}
