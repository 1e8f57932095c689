import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireWritingScope } from '../access/key-scope.ts';
import type { CurrentUser } from '../access/user.ts';
import { type Context, readContext, type Site } from '../document/context.ts';
import type { ListText } from '../document/list-stream.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { claimKey, findReply, inProgress, type StoredReply, storeReply } from '../site/stored-replies.ts';
import { originOf } from './origin.ts';
import { type Envelope, sendJson, sendList } from './reply.ts';
import { type ReplyRights, rightsBehind, stillVisible } from './reply-rights.ts';

/** A reply that is ready to be sent, and to be stored. */
export class Answer {
  readonly body: string;
  readonly status: number;
  readonly etag: string | null;
  constructor(body: string, status = 200, etag: string | null = null) {
    this.body = body;
    this.status = status;
    this.etag = etag;
  }
}

/** What tells requests with the same key apart, beside what Fastify has of them. */
export interface OnceOptions {
  /** A digest of a body that was streamed. */
  readonly content?: string;
  /** Which of several units of one request: each is done once for itself. */
  readonly part?: number;
}

/** A list as the answer of a method. It is sent as it is read, and cannot be stored. */
export class ListAnswer {
  readonly envelope: Envelope;
  readonly list: ListText;
  constructor(envelope: Envelope, list: ListText) {
    this.envelope = envelope;
    this.list = list;
  }
}

/** Sends an answer. */
export function sendAnswer(reply: FastifyReply, answer: Answer | ListAnswer): FastifyReply {
  if (answer instanceof ListAnswer) return sendList(reply, `{"${answer.envelope}":`, answer.list, '}');
  if (answer.etag !== null) reply.header('etag', answer.etag);
  return sendJson(reply.code(answer.status), answer.body);
}

/**
 * One unit of work for a request. With an `Idempotency-Key` on a POST its answer is stored in the same transaction, and
 * a request of the same user with the same key gets that answer for 24 hours, without any effect, as long as they may
 * see it. A request that failed stored nothing, and may be sent again.
 * @throws ServiceError IdempotencyError for a key that stands for another request, IdempotencyInProgressError
 *   while the first one runs, BadRequestError for a malformed key, what `work` throws, and for an answer that the user
 *   may not see any more what a read would
 */
export async function doOnce<T>(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (ctx: Context) => Promise<T>,
  present: (result: T) => Answer,
  options: OnceOptions = {},
): Promise<Answer> {
  const { user } = request;
  const given = request.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  if (given === undefined) return present(await unitOfWork(site, user, work, originOf(request)));
  // What is stored may be what this credential must not see: the answer to a wider one.
  requireWritingScope(user);
  const key = keyOf(user, given, options.part);
  const digest = digestOf(request, options.content);
  const running = runningOn(site);
  if (running.has(key)) throw inProgress();
  running.add(key);
  try {
    const before = await findReply(site, key);
    if (before) return await replay(site, request, reply, before, digest);
    const once = async (ctx: Context) => {
      if (!(await claimKey(ctx, key, digest))) throw new AnsweredMeanwhile();
      const answer = present(await work(ctx));
      const rights = JSON.stringify(await rightsBehind(ctx, answer.body));
      await storeReply(ctx, key, { ...answer, rights });
      return answer;
    };
    return await unitOfWork(site, user, once, originOf(request));
  } catch (error) {
    const meanwhile = error instanceof AnsweredMeanwhile ? await findReply(site, key) : null;
    if (meanwhile) return await replay(site, request, reply, meanwhile, digest);
    throw error instanceof AnsweredMeanwhile ? inProgress() : error;
  } finally {
    running.delete(key);
  }
}

/** Another node was faster; rolls back what this one began. */
class AnsweredMeanwhile extends Error {}

/** Keys whose requests this process is answering. */
const runningBySite = new WeakMap<Site, Set<string>>();

function runningOn(site: Site): Set<string> {
  let running = runningBySite.get(site);
  if (!running) {
    running = new Set();
    runningBySite.set(site, running);
  }
  return running;
}

async function replay(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredReply,
  digest: string,
): Promise<Answer> {
  if (stored.digest !== digest) {
    throw new ServiceError('IdempotencyError', 'This Idempotency-Key was used for another request');
  }
  const rights = stored.rights === null ? null : (JSON.parse(stored.rights) as ReplyRights);
  const body = await stillVisible(readContext(site, request.user, originOf(request)), stored.body, rights);
  reply.header('idempotent-replayed', 'true');
  // The tag of a whole document says something of what is left out.
  return new Answer(body, stored.status, body === stored.body ? stored.etag : null);
}

const KEY = /^[\x21-\x7e]+$/;

function keyOf(user: CurrentUser, given: string | string[], part: number | undefined): string {
  if (typeof given !== 'string' || given.length > LIMITS.idempotencyKeyLength || !KEY.test(given)) {
    throw new ServiceError(
      'BadRequestError',
      `An Idempotency-Key has 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters, without spaces`,
    );
  }
  const who = user.scope === null ? user.name : [user.name, user.scope.mark];
  return sha256(JSON.stringify([who, given, part ?? null]));
}

// What was understood of the body, and not its bytes: the same fields are the same request.
function digestOf(request: FastifyRequest, content = ''): string {
  return sha256(JSON.stringify([request.method, request.url, request.body ?? null, content]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
