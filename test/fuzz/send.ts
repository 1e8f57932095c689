import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { PATIENCE } from '../support/until.ts';
import type { FuzzRequest } from './requests.ts';

export interface FuzzReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
}

export interface Sender {
  /** @throws Error when there is no whole reply within `PATIENCE` */
  send(request: FuzzRequest): Promise<FuzzReply>;
  close(): void;
}

/** Sends requests as they are, over connections that stay open. */
export function openSender(url: string, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname: host, port } = new URL(url);
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === null ? {} : { 'content-length': body.length };
        const sent = httpRequest(
          { agent, host, port, method, path, headers: { ...headers, ...length }, timeout: PATIENCE },
          (reply) => {
            const chunks: Buffer[] = [];
            reply.on('data', (chunk: Buffer) => chunks.push(chunk));
            reply.on('error', reject);
            reply.on('aborted', () => reject(new Error('the reply was broken off')));
            // A stream of events does not end by itself.
            const isStream = reply.headers['content-type']?.startsWith('text/event-stream') === true;
            if (isStream) {
              resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: '', json: undefined });
              sent.destroy();
              return;
            }
            reply.on('end', () => {
              const bytes = Buffer.concat(chunks);
              const isZipped = bytes.length > 0 && reply.headers['content-encoding'] === 'gzip';
              const text = (isZipped ? gunzipSync(bytes) : bytes).toString('utf8');
              resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text, json: parsed(text) });
            });
          },
        );
        sent.on('timeout', () => sent.destroy(new Error(`no reply within ${PATIENCE} ms`)));
        sent.on('error', reject);
        sent.end(body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
