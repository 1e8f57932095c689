import type { Agent as HttpAgent, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../db/database.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { isLastReply } from '../wire/client-error.ts';
import { askForBody, isWaitingToSend } from '../wire/expect-continue.ts';
import { discardRest, hasBody } from '../wire/unread-body.ts';
import { CLIENT_ADDRESS } from './from-readers.ts';

const { Agent, request: send } = process.getBuiltinModule('node:http');

declare module 'fastify' {
  interface FastifyRequest {
    /** True for a request that the writer answers: it counts and logs it, too. */
    isForwarded: boolean;
  }
}

/** Of so many connections and those to the writer, the system reports all at once: libuv asks for 1,024 events. */
const REPORTED_TOGETHER = 500;

/**
 * Headers that concern one connection, and those that the reader replaces. Trailers are not forwarded, and Node refuses
 * to announce any beside a body of known length.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'trailer', 'host', 'x-request-id'],
  CLIENT_ADDRESS,
]);
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Where several workers share an SQLite database, a reader answers only requests whose route says so
 * (`isAnsweredByReaders`). It forwards all others to the writer before it knows their caller: the writer authenticates
 * them. Bodies and replies are streamed.
 */
export function registerForwarding(app: FastifyInstance, site: OpenSite, linger: number): void {
  app.decorateRequest('isForwarded', false);
  const { role, socket, database } = site;
  if (role === null || socket === null) return;
  const refresh = refresher(app, database);
  const agent = new Agent({ keepAlive: true });
  app.addHook('onClose', async () => agent.destroy());
  app.addHook('onRequest', (request, reply, done) => {
    refresh(request.raw.socket);
    if (role === 'writer' || request.declared?.isAnsweredByReaders?.(request)) return done();
    request.isForwarded = true;
    forward({ app, request, reply, agent, socket, linger, fail: done });
  });
}

/**
 * A request may follow a write that another worker has answered, so its reads must begin after it arrived. Node reads
 * requests one after the other that the system has reported together: one refresh before the first suffices for all.
 * A further request on a connection may have arrived later. With very many connections, so may any.
 */
function refresher(app: FastifyInstance, database: Database): (socket: Socket) => void {
  const read = new Set<Socket>();
  const forget = () => read.clear();
  let connections = 0;
  app.server.on('connection', (socket: Socket) => {
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
    });
  });
  return (socket) => {
    if (read.size === 0) setImmediate(forget);
    if (read.size === 0 || read.has(socket) || connections > REPORTED_TOGETHER) database.refresh?.();
    read.add(socket);
  };
}

interface Forwarded {
  readonly app: FastifyInstance;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly agent: HttpAgent;
  readonly socket: string;
  readonly linger: number;
  readonly fail: (error: Error) => void;
}

function forward(forwarded: Forwarded): void {
  const { request, reply, agent, socket: socketPath, fail } = forwarded;
  const { raw, method, originalUrl: path } = request;
  const address = raw.socket.remoteAddress;
  // The client has hung up.
  if (address === undefined) return;
  const headers = headersFor(request, address);
  const outgoing = send({ socketPath, agent, method, path, headers, setHost: false });
  let isAnswered = false;
  reply.raw.once('close', () => {
    if (!isAnswered) outgoing.destroy();
  });
  outgoing.once('response', (incoming) => {
    incoming.once('end', () => {
      isAnswered = true;
      // The writer did not want all of the body.
      if (!outgoing.writableFinished) outgoing.destroy();
    });
    passOn(incoming, forwarded);
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (isAnswered || reply.raw.destroyed) return;
    if (reply.raw.headersSent) return reply.raw.destroy();
    request.isForwarded = false;
    fail(writerLost(request, error));
  });
  if (isWaitingToSend(raw)) outgoing.once('continue', () => askForBody(raw));
  if (!hasBody(raw)) {
    outgoing.end();
    return;
  }
  raw.pipe(outgoing);
  // Node sends the head with the first bytes of the body. The writer may refuse the request before any arrive.
  setImmediate(() => {
    if (!raw.readableDidRead) outgoing.flushHeaders();
  });
}

function headersFor({ raw, id, method }: FastifyRequest, address: string): string[] {
  const { rawHeaders } = raw;
  const headers: string[] = ['host', raw.headers.host ?? ''];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!NOT_FORWARDED.has(name.toLowerCase())) headers.push(name, rawHeaders[index + 1] ?? '');
  }
  // Node would announce chunks.
  if (raw.headers['content-length'] === undefined && method !== 'GET' && !hasBody(raw)) {
    headers.push('content-length', '0');
  }
  headers.push('x-request-id', id, CLIENT_ADDRESS, address);
  return headers;
}

function passOn(incoming: IncomingMessage, { app, request, reply, linger }: Forwarded): void {
  const { raw: answer } = reply;
  const { raw } = request;
  reply.hijack();
  const closes = incoming.headers.connection === 'close' || app.draining.aborted;
  if (closes && isLastReply(reply)) answer.shouldKeepAlive = false;
  const headers = incoming.rawHeaders.filter(
    (_, index, all) => !OF_THE_CONNECTION.has(all[index - (index % 2)]?.toLowerCase() ?? ''),
  );
  answer.writeHead(incoming.statusCode ?? 500, incoming.statusMessage, headers);
  incoming.on('error', () => answer.destroy());
  incoming.once('end', () => {
    if (raw.complete || !hasBody(raw)) answer.end();
    else if (!answer.shouldKeepAlive && incoming.statusCode !== 408)
      discardRest(raw, linger, () => answer.end());
    else {
      discardRest(raw, linger, () => {
        if (!raw.complete) raw.destroy();
      });
      answer.end();
    }
  });
  incoming.pipe(answer, { end: false });
  if (request.declared?.work === 'stream') endWithServer(app, incoming, answer);
}

// The writer ends its streams when it stops; this server may stop alone.
function endWithServer(app: FastifyInstance, incoming: IncomingMessage, answer: ServerResponse): void {
  const end = () => {
    incoming.unpipe(answer);
    answer.end();
  };
  if (app.draining.aborted) end();
  else app.draining.addEventListener('abort', end);
  answer.once('close', () => {
    app.draining.removeEventListener('abort', end);
    incoming.destroy();
  });
}

/** The refusal when the writer ends before it answers. Only a change that cannot have happened may be repeated. */
function writerLost({ method }: FastifyRequest, { syscall }: NodeJS.ErrnoException): ServiceError {
  const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  return isSafe || syscall === 'connect'
    ? new ServiceError('ServiceUnavailableError', 'The server is restarting, please try again', {
        headers: { 'Retry-After': '1' },
      })
    : new ServiceError(
        'OutcomeUnknownError',
        'The server ended during this request: the change may be stored or not. Look before you send it again',
      );
}
