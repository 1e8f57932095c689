import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Connection, Database } from '../db/database.ts';
import type { Position } from '../db/position.ts';
import type { DoctypeRegistry } from '../doctype/doctype.ts';
import { derivedKey } from '../kernel/derived-key.ts';
import { LIMITS } from '../kernel/limits.ts';
import { parseCookie } from './caller/session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that may change something, where there are replicas: the questions for positions before it. */
    positionsAsked: number | null;
  }
}

/** The header of requests and replies. */
export const POSITION_HEADER = 'x-chancery-position';
const COOKIE = 'chancery_position';
/** Seconds that a browser keeps the cookie: as long as that of its session. */
const COOKIE_AGE = 30 * 24 * 60 * 60;
/** Bytes of the signature. */
const SIGNATURE = 16;

interface PositionSite {
  readonly database: Pick<Database, 'replicas'>;
  readonly doctypes: DoctypeRegistry;
  readonly secretKey: Uint8Array;
}

/**
 * Where there are replicas, a reply to a request that may change something carries the position of the change. With
 * it, the next reads may go to a replica and still see the change.
 */
export function registerPositions(
  app: FastifyInstance,
  { database, secretKey }: Omit<PositionSite, 'doctypes'>,
): void {
  app.decorateRequest('positionsAsked', null);
  const { replicas } = database;
  if (replicas === null) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    request.positionsAsked = isSafe ? null : replicas.asked;
    done();
  });
  app.addHook('onSend', async (request, reply) => {
    const { positionsAsked } = request;
    if (positionsAsked === null) return;
    // An error may come behind a commit, or instead of the answer to one, which is made at any time.
    const { statusCode } = reply;
    if (statusCode >= 400 && positionsAsked === replicas.asked) return;
    const position = statusCode < 500 ? await replicas.positionAfter(positionsAsked) : null;
    setPosition(request, reply, position === null ? '' : signed(position, secretKey));
  });
}

/**
 * The replica that may read rows for this request; null: the primary. The rows are not older than the rights and
 * definitions that they are judged by: whoever removes a secret before granting a right must not show it.
 */
export function replicaFor(
  { headers, user }: Pick<FastifyRequest, 'headers' | 'user'>,
  { database, secretKey, doctypes }: PositionSite,
): Connection | null {
  const { replicas } = database;
  if (replicas === null) return null;
  const { [POSITION_HEADER]: header, cookie = '' } = headers;
  const text = header ?? parseCookie(cookie, COOKIE);
  const position = typeof text === 'string' ? parsePosition(text, secretKey) : null;
  return position && replicas.at(position, [user, doctypes]);
}

/** `1-16b374d848-…`: the timeline, the place in its log, and the signature. */
export function signed({ timeline, lsn }: Position, secretKey: Uint8Array): string {
  const place = `${timeline.toString(16)}-${lsn.toString(16)}`;
  return `${place}-${signatureOf(place, secretKey).toString('base64url')}`;
}

const FORM = /^(([0-9a-f]{1,8})-([0-9a-f]{1,16}))-([\w-]{22})$/;

function parsePosition(text: string, secretKey: Uint8Array): Position | null {
  if (text.length > LIMITS.positionLength) return null;
  const [, place, timeline, lsn, signature] = FORM.exec(text) ?? [];
  if (place === undefined || signature === undefined) return null;
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== SIGNATURE || !timingSafeEqual(given, signatureOf(place, secretKey))) return null;
  return { timeline: Number.parseInt(timeline ?? '', 16), lsn: BigInt(`0x${lsn}`) };
}

function signatureOf(place: string, secretKey: Uint8Array): Buffer {
  const key = derivedKey(secretKey, 'positions');
  return createHmac('sha256', key).update(place).digest().subarray(0, SIGNATURE);
}

// Without a position, the client must forget its former one, which does not have the change.
function setPosition(request: FastifyRequest, reply: FastifyReply, text: string): void {
  reply.header(POSITION_HEADER, text);
  if (request.headers.authorization !== undefined) return;
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const age = text === '' ? 0 : COOKIE_AGE;
  reply.header('set-cookie', `${COOKIE}=${text}; Path=/; Max-Age=${age}; SameSite=Lax; HttpOnly${secure}`);
}
