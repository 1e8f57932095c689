import type { Context } from '../document/context.ts';
import { deleteDocument } from '../document/delete.ts';
import { updateDocument } from '../document/update.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { type Arguments, looseArgument, textArgument } from './arguments.ts';
import type { Call } from './methods/built-in.ts';
import { Answer, doOnce } from './once.ts';

/** One document of many that a request changes. */
export interface BulkItem {
  readonly doctypeName: string;
  readonly name: string;
  /** Null to delete it. */
  readonly fields: Fields | null;
}

/** How it went; null when it went well. */
export type Outcome = ServiceError | null;

/**
 * Changes documents one after the other, each in a transaction of its own, so that one that fails takes no other with
 * it. With an `Idempotency-Key` each is done once for itself.
 */
export async function runBulk(call: Call, items: readonly BulkItem[]): Promise<Outcome[]> {
  // Each counts as the request that it would be by itself.
  call.request.spend(items.length - 1);
  const outcomes: Outcome[] = [];
  for (const [part, item] of items.entries()) {
    const work = (ctx: Context) => change(ctx, item);
    try {
      await doOnce(call.site, call.request, call.reply, work, () => new Answer(''), { part });
      outcomes.push(null);
    } catch (error) {
      outcomes.push(refusalOf(call, error));
    }
  }
  return outcomes;
}

async function change(ctx: Context, { doctypeName, name, fields }: BulkItem): Promise<void> {
  if (fields === null) await deleteDocument(ctx, doctypeName, name);
  else await updateDocument(ctx, doctypeName, name, fields);
}

function refusalOf({ site, request }: Call, error: unknown): ServiceError {
  if (error instanceof ServiceError) {
    // These say something of the whole request.
    if (error.type.startsWith('Idempotency') || error.type === 'BadRequestError') throw error;
    return error;
  }
  site.observe({ kind: 'unexpected', where: 'http', error, requestId: request.id });
  return new ServiceError('ServiceUnavailableError', 'The server failed to change this document');
}

/**
 * A list argument of objects, given as such or as JSON text.
 * @throws ServiceError ValidationError for anything else, or more than `LIMITS.bulkItems`
 */
export function recordsArgument(args: Arguments, name: string): readonly Fields[] {
  const list = listArgument(args, name);
  if (list.every(isRecord)) return list;
  throw new ServiceError('ValidationError', `Argument ${name} must be a list of objects`);
}

/** A list argument of names. @throws ServiceError ValidationError */
export function namesArgument(args: Arguments, name: string): readonly string[] {
  return listArgument(args, name).map((_, index, list) => textArgument({ [name]: list[index] }, name));
}

function listArgument(args: Arguments, name: string): readonly unknown[] {
  const list = looseArgument(args, name);
  if (!Array.isArray(list)) {
    throw new ServiceError('ValidationError', `Argument ${name} is required and must be a list`);
  }
  if (list.length > LIMITS.bulkItems) {
    throw new ServiceError('ValidationError', `${name} has more than ${LIMITS.bulkItems} items`);
  }
  return list;
}

/** What the second version of the interface answers: what was done, what failed and why, and how many. */
export function bulkReport(
  done: 'deleted' | 'updated',
  items: readonly BulkItem[],
  outcomes: readonly Outcome[],
  show: (item: BulkItem) => unknown,
): Record<string, unknown> {
  const succeeded: unknown[] = [];
  const failed: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const error = outcomes[index];
    if (!error) succeeded.push(show(item));
    else failed.push({ doctype: item.doctypeName, name: item.name, error: error.message, type: error.type });
  }
  return {
    [done]: succeeded,
    failed,
    total: items.length,
    success_count: succeeded.length,
    failure_count: failed.length,
  };
}
