import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireWritingScope } from '../access/key-scope.ts';
import type { CurrentUser } from '../access/user.ts';
import { readContext } from '../document/context.ts';
import type { Context, Site } from '../document/contract.ts';
import type { ListText } from '../document/list/list-stream.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { claimKey, findReply, inProgress, type StoredReply, storeReply } from '../site/stored-replies.ts';
import { provenanceOf } from './caller/provenance.ts';
import { sendJson, sendList } from './reply.ts';
import { type ReplyRights, rightsBehind, stillVisible } from './reply-rights.ts';

/** A complete reply, which can be sent and stored. */
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

/** The parts of a request's identity that Fastify does not know. */
export interface OnceOptions {
  /** A digest of a body that was streamed. */
  readonly content?: string;
  /** The number of the unit within its request: each unit runs once. */
  readonly part?: number;
}

/** A JSON text with a list in it, between `before` and `after`. It is streamed, and cannot be stored. */
export class ListAnswer {
  readonly before: string;
  readonly list: ListText;
  readonly after: string;
  constructor(before: string, list: ListText, after: string) {
    this.before = before;
    this.list = list;
    this.after = after;
  }
}

/** Sends an answer. */
export function sendAnswer(reply: FastifyReply, answer: Answer | ListAnswer): FastifyReply {
  if (answer instanceof ListAnswer) return sendList(reply, answer.before, answer.list, answer.after);
  if (answer.etag !== null) reply.header('etag', answer.etag);
  if (answer.status === 304) return reply.code(304).send();
  return sendJson(reply.code(answer.status), answer.body);
}

/**
 * Runs one unit of work for a request. With an `Idempotency-Key` on a POST, the same transaction stores its
 * answer. For 24 hours, a request of the same user with the same key gets that answer without any effect, as
 * long as the user may see it. A failed request stores nothing, and the client may send it again.
 * @throws ServiceError IdempotencyError for a key of another request, IdempotencyInProgressError while the
 * first request runs, BadRequestError for a malformed key, every error of `work`, and the error of a read
 * when the user may not see the stored answer any more
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
  if (given === undefined) return present(await unitOfWork(site, user, work, provenanceOf(request)));
  // The stored answer may be one to a wider credential, which this credential must not see.
  requireWritingScope(user);
  const key = idempotencyKey(user, given, options.part);
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
    return await unitOfWork(site, user, once, provenanceOf(request));
  } catch (error) {
    const meanwhile = error instanceof AnsweredMeanwhile ? await findReply(site, key) : null;
    if (meanwhile) return await replay(site, request, reply, meanwhile, digest);
    throw error instanceof AnsweredMeanwhile ? inProgress() : error;
  } finally {
    running.delete(key);
  }
}

/** Another node was faster; the error rolls back this node's transaction. */
class AnsweredMeanwhile extends Error {}

/** Keys of the requests in flight in this process. */
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
  const body = await stillVisible(
    readContext(site, request.user, provenanceOf(request)),
    stored.body,
    rights,
  );
  reply.header('idempotent-replayed', 'true');
  // The body is stored without what made it.
  reply.confidential = true;
  // The ETag of a whole document would reveal something about the withheld fields.
  return new Answer(body, stored.status, body === stored.body ? stored.etag : null);
}

const KEY = /^[\x21-\x7e]+$/;

function idempotencyKey(user: CurrentUser, given: string | string[], part: number | undefined): string {
  if (typeof given !== 'string' || given.length > LIMITS.idempotencyKeyLength || !KEY.test(given)) {
    throw new ServiceError(
      'BadRequestError',
      `An Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters, without spaces`,
    );
  }
  const who = user.scope === null ? user.name : [user.name, user.scope.mark];
  return sha256(JSON.stringify([who, given, part ?? null]));
}

// A digest of the parsed body, not of its bytes: the same fields are the same request.
function digestOf(request: FastifyRequest, content = ''): string {
  return sha256(JSON.stringify([request.method, request.url, request.body ?? null, content]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
