import { NAME_SCHEMA, nameIn } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
import { records, textArgument } from './arguments.ts';
import { DELETES, UPDATES } from './events.ts';
import { type Call, defineOperation, type Operation } from './operation.ts';
import { deleteRecord, updateRecord } from './records.ts';
import { object, ROWS } from './result.ts';

/** One document in a bulk request. */
export interface BulkItem {
  readonly doctypeName: string;
  readonly name: string;
  /** Null to delete the document. */
  readonly fields: Fields | null;
}

/** Null on success. */
type Outcome = ServiceError | null;

const COUNT = { type: 'integer' };
const REPORT = {
  failed: {
    type: 'array',
    items: object({
      doctype: { type: 'string' },
      name: NAME_SCHEMA,
      error: { type: 'string' },
      type: { type: 'string' },
    }),
  },
  total: COUNT,
  success_count: COUNT,
  failure_count: COUNT,
};

const DOCS = { docs: records(LIMITS.bulkItems) };

/** Many documents in one request. Each has a unit of work of its own, so the operation itself has none. */
export const bulkOperations: readonly Operation[] = [
  defineOperation({
    name: 'bulk_delete',
    summary: 'Delete documents, each in its own transaction',
    effect: 'write',
    events: DELETES,
    transaction: 'own',
    args: DOCS,
    result: bulkResult('deleted', ROWS),
    run: async (ctx, { docs }, call) => {
      const items = docs.map((doc) => ({ ...placeIn(doc, 'name'), fields: null }));
      return runBulk(ctx, call, 'deleted', items, (place) => place);
    },
  }),

  defineOperation({
    name: 'bulk_update',
    summary: 'Update documents, each in its own transaction',
    effect: 'write',
    events: UPDATES,
    transaction: 'own',
    args: DOCS,
    result: bulkResult('updated', ROWS),
    run: (ctx, { docs }, call) => {
      const items = docs.map((doc) => itemIn(doc, 'name'));
      return runBulk(ctx, call, 'updated', items, (place) => place);
    },
  }),

  defineOperation({
    name: 'frappe.client.bulk_update',
    summary: 'Update documents, each in its own transaction; returns those that failed',
    effect: 'write',
    events: UPDATES,
    transaction: 'own',
    args: DOCS,
    result: object({ failed_docs: ROWS }),
    run: async (_ctx, { docs }, call) => {
      const outcomes = await changeAll(
        call,
        docs.map((doc) => itemIn(doc, 'docname')),
      );
      return {
        failed_docs: docs.flatMap((doc, index) => {
          const error = outcomes[index];
          return error ? [{ doc, exc: `frappe.exceptions.${error.type}: ${error.message}` }] : [];
        }),
      };
    },
  }),
];

function placeIn(doc: Fields, nameKey: 'name' | 'docname') {
  return { doctypeName: textArgument(doc, 'doctype'), name: textArgument(doc, nameKey) };
}

function itemIn(doc: Fields, nameKey: 'name' | 'docname'): BulkItem {
  const { doctype: _doctype, [nameKey]: _name, ...fields } = doc;
  return { ...placeIn(doc, nameKey), fields };
}

/** The schema of a report on many documents. */
export function bulkResult(done: 'deleted' | 'updated', items: Readonly<Record<string, unknown>>) {
  return object({ [done]: items, ...REPORT });
}

/** Changes documents. Reports the changed ones, the failed ones with the reason, and their numbers. */
export async function runBulk(
  { doctypes }: Context,
  call: Call,
  done: 'deleted' | 'updated',
  items: readonly BulkItem[],
  show: (place: { readonly doctype: string; readonly name: string | number }) => unknown,
): Promise<Record<string, unknown>> {
  const outcomes = await changeAll(call, items);
  const succeeded: unknown[] = [];
  const failed: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const error = outcomes[index];
    const place = { doctype: item.doctypeName, name: nameIn(doctypes, item.doctypeName, item.name) };
    if (!error) succeeded.push(show(place));
    else failed.push({ ...place, error: error.message, type: error.type });
  }
  return {
    [done]: succeeded,
    failed,
    total: items.length,
    success_count: succeeded.length,
    failure_count: failed.length,
  };
}

/**
 * Changes documents one after the other, each in its own transaction, so that one failure affects no other.
 * With an `Idempotency-Key`, each is changed once.
 */
async function changeAll(call: Call, items: readonly BulkItem[]): Promise<Outcome[]> {
  // Each document counts as one request against the quota.
  call.spend(items.length - 1);
  const outcomes: Outcome[] = [];
  for (const [part, item] of items.entries()) {
    try {
      await call.once(
        (ctx) => change(ctx, item),
        () => '',
        part,
      );
      outcomes.push(null);
    } catch (error) {
      outcomes.push(refusalOf(call, error));
    }
  }
  return outcomes;
}

async function change(ctx: Context, { doctypeName, name, fields }: BulkItem): Promise<void> {
  if (fields === null) await deleteRecord(ctx, doctypeName, name);
  else await updateRecord(ctx, doctypeName, name, fields);
}

function refusalOf({ site, requestId }: Call, error: unknown): ServiceError {
  if (error instanceof ServiceError) {
    // These errors concern the whole request.
    if (error.type.startsWith('Idempotency') || error.type === 'BadRequestError') throw error;
    return error;
  }
  site.observe({ kind: 'unexpected', where: 'http', error, requestId });
  return new ServiceError('ServiceUnavailableError', 'The server failed to change this document');
}
