import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3Server } from './s3.ts';

/** A request on its way to the store. */
export interface S3Request {
  readonly method: string;
  /** The path without the bucket, and the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The answer of the store. */
export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request that meets a fault. */
interface Exchange {
  readonly request: S3Request;
  /** True when an object was stored at this address through the proxy. */
  isStored(): boolean;
  /** Sends the request on, with another body if given. */
  pass(body?: Buffer): Promise<S3Answer>;
  reply(answer: S3Answer): void;
  /** Sends the head of an answer and so many bytes of its body, and leaves the connection open. */
  begin(answer: S3Answer, bytes: number): void;
  /** Breaks the connection. */
  cut(): void;
}

/** What is wrong with the store, or with the network before it. */
export type S3Fault = (exchange: Exchange) => void | Promise<void>;

/** What a fault does is the same whatever is asked, so that every operation can meet every fault. */
export const S3_FAULTS = {
  /** The connection breaks before anything has happened. */
  away: ({ cut }) => cut(),
  /** Takes requests and answers none, with every connection open. */
  silent: () => {},
  slowDown: ({ reply }) => reply(refusal(503, 'SlowDown', 'Please reduce your request rate.')),
  internal: ({ reply }) => reply(refusal(500, 'InternalError', 'We encountered an internal error.')),
  /** What a balancer says whose stores are away. */
  badGateway: ({ reply }) => reply(page(502)),
  /** What a network says that wants people to sign in first. */
  strangePage: ({ reply }) => reply(page(200)),
  /** The credentials have lost their rights. */
  forbidden: ({ reply }) => reply(refusal(403, 'AccessDenied', 'Access Denied.')),
  noBucket: ({ reply }) => reply(refusal(404, 'NoSuchBucket', 'The specified bucket does not exist.')),
  /** Everything is done, and nobody hears of it. */
  lostReply: async ({ pass, cut }) => {
    await pass();
    cut();
  },
  /** The connection breaks in the middle of what the store sends. */
  halfReply: async ({ pass, begin, cut }) => {
    const answer = await pass();
    begin(answer, Math.floor(answer.body.length / 2));
    setImmediate(cut);
  },
  /** Nothing comes after the middle of what the store sends. */
  stalls: async ({ pass, begin }) => {
    const answer = await pass();
    begin(answer, Math.floor(answer.body.length / 2));
  },
  /** The store has lost the second half of its objects, and says nothing of it. */
  shortObject: async ({ request, pass, reply }) => {
    const answer = await pass();
    const body = answer.body.subarray(0, Math.floor(answer.body.length / 2));
    reply(isObject(request, answer) ? { ...answer, body } : answer);
  },
  /** A bit falls over on the way to the store. */
  changedUpload: async ({ request, pass, reply }) => reply(await pass(changed(request.body))),
  /** The store tells another checksum of what it has stored. */
  wrongETag: async ({ pass, reply }) => {
    const answer = await pass();
    const { etag, ...headers } = answer.headers;
    reply({ ...answer, headers: { ...headers, ...(etag && { etag: `"${'0'.repeat(32)}"` }) } });
  },
  /** Amazon's store begins long answers with 200 before it knows that they are errors. */
  errorIn200: ({ reply }) => reply(refusal(200, 'InternalError', 'We encountered an internal error.')),
} satisfies Readonly<Record<string, S3Fault>>;

/** The name of a fault. */
export type S3FaultName = keyof typeof S3_FAULTS;

/** Credentials that may read and write, and delete nothing. */
export const MAY_NOT_DELETE: S3Fault = async ({ request, pass, reply }) =>
  reply(request.method === 'DELETE' ? refusal(403, 'AccessDenied', 'Access Denied.') : await pass());

/** The same, and the store lets nobody replace an object. */
export const WRITE_ONCE: S3Fault = (exchange) => {
  const { request, isStored, reply } = exchange;
  return isWrite(request) && isStored()
    ? reply(refusal(403, 'AccessDenied', 'The object is under retention.'))
    : MAY_NOT_DELETE(exchange);
};

/** An S3 server behind a proxy that breaks what passes it. */
export interface FaultyS3 {
  /** For `newBucket` and `filesUrl`. */
  readonly endpoint: string;
  /** Requests that met the fault since it was set. */
  readonly met: readonly S3Request[];
  /** From now on requests meet this fault: all, the first so many, or those that `of` names. Null: none does. */
  meet(fault: S3Fault | null, which?: WhichRequests): void;
  stop(): Promise<void>;
}

/** Requests that meet a fault. */
export interface WhichRequests {
  readonly times?: number;
  readonly of?: (request: S3Request) => boolean;
}

/** Starts such a proxy on 127.0.0.1. */
export async function startFaultyS3(store: S3Server): Promise<FaultyS3> {
  const stored = new Set<string>();
  let fault: S3Fault | null = null;
  let { times = Number.POSITIVE_INFINITY, of = () => true }: WhichRequests = {};
  let met: S3Request[] = [];

  async function pass({ method, url, headers }: IncomingMessage, body: Buffer): Promise<S3Answer> {
    // The signature covers the address that the client has called.
    const sent = send(new URL(url ?? '/', store.endpoint), { method, headers, agent: false, setHost: false });
    // Swift sends a body after some answers that have none.
    sent.on('error', () => {});
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers: told } = answer;
    return { status, headers: told, body: await buffer(answer) };
  }

  const server = createServer(async (message, response) => {
    response.on('error', () => {});
    try {
      const { method = '', url = '', headers } = message;
      const request = { method, path: url, headers, body: await buffer(message) };
      const [address = ''] = url.split('?');
      const passed = async (body = request.body) => {
        const answer = await pass(message, body);
        if (isWrite(request) && answer.status === 200) stored.add(address);
        return answer;
      };
      const exchange = { ...answering(response), request, isStored: () => stored.has(address), pass: passed };
      if (fault === null || met.length >= times || !of(request)) return exchange.reply(await passed());
      met.push(request);
      await fault(exchange);
    } catch {
      // The client has gone, or the store.
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    get met() {
      return met;
    },
    meet(next, which = {}) {
      fault = next;
      ({ times = Number.POSITIVE_INFINITY, of = () => true } = which);
      met = [];
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answering(response: ServerResponse): Pick<Exchange, 'reply' | 'begin' | 'cut'> {
  const begin = ({ status, headers, body }: S3Answer, bytes: number) => {
    const { connection: _connection, 'transfer-encoding': _encoding, ...told } = headers;
    // An answer to HEAD tells the length of what it does not have.
    const length = response.req.method === 'HEAD' ? headers['content-length'] : body.length;
    response.writeHead(status, { ...told, ...(length !== undefined && { 'content-length': length }) });
    response.flushHeaders();
    if (bytes > 0) response.write(body.subarray(0, bytes));
  };
  return {
    begin,
    reply(answer) {
      begin(answer, answer.body.length);
      response.end();
    },
    cut: () => void response.socket?.destroy(),
  };
}

/** True for what makes an object: at once, or of its parts. */
function isWrite({ method, path }: S3Request): boolean {
  const { searchParams: query } = new URL(path, 'http://store');
  return method === 'PUT' ? !query.has('partNumber') : method === 'POST' && query.has('uploadId');
}

function isObject({ method, path }: S3Request, { status }: S3Answer): boolean {
  // A list has no name of an object in its path.
  const { pathname } = new URL(path, 'http://store');
  return method === 'GET' && (status === 200 || status === 206) && /^\/[^/]+\/./.test(pathname);
}

function refusal(status: number, code: string, message: string): S3Answer {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
}

function page(status: number): S3Answer {
  return { status, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Welcome</html>') };
}

function changed(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  if (copy.length > 0) copy.writeUInt8(copy.readUInt8(0) ^ 1, 0);
  return copy;
}
