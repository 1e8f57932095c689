import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { CommitListener } from '../../src/document/contract.ts';
import type { TestReply, TestSite } from './site.ts';
import { assertEnvelope, assertErrors } from './wire.ts';

/** The reply before, from whose body a row may take what it sends. */
// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape
type FromLast<T> = T | ((body: any) => T);

/** A request and its answer. */
export interface Row {
  /** Begins a test. A row without a title goes on with the test before it. */
  readonly title?: string;
  readonly as?: string | null;
  /** Verb and path: `POST /api/resource/Note`. */
  readonly request: FromLast<string>;
  readonly body?: FromLast<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the one of `error`; otherwise 200, or 202 for the deletion of a document. */
  readonly status?: number;
  /** A part of the body: the keys of its objects, and each element of its arrays. Undefined: no such key. */
  readonly expect?: unknown;
  /** The `exc_type`, in the one shape of failures, of either version. */
  readonly error?: string;
  /** In the text of the reply. */
  readonly says?: RegExp;
  /** `Doctype.event name` of what was committed, in order. */
  readonly events?: readonly string[];
  /** How many deliveries were written. */
  readonly deliveries?: number;
}

/**
 * Tests as a table of requests and answers. With `strict`, a row that names no events or deliveries expects
 * none.
 */
export function scenario(site: TestSite, rows: readonly Row[], { strict = false } = {}): void {
  const tests: Row[][] = [];
  for (const row of rows) {
    if (row.title !== undefined) tests.push([]);
    const current = tests.at(-1);
    assert.ok(current, 'the first row has no title');
    current.push(strict ? { events: [], deliveries: 0, ...row } : row);
  }
  for (const steps of tests) {
    test(steps[0]?.title, async () => {
      let last: unknown;
      for (const step of steps) last = await perform(site, step, last);
    });
  }
}

async function perform(site: TestSite, row: Row, last: unknown): Promise<unknown> {
  const request = given(row.request, last);
  const [verb = '', path = ''] = split(request);
  const heard: string[] = [];
  const listener: CommitListener = async (ctx) => {
    ctx.afterCommit(() => {
      heard.push(...ctx.events.map(({ name, doctype, doc }) => `${doctype.name}.${name} ${doc.name}`));
    });
  };
  const listeners = site.site.commitListeners as CommitListener[];
  const written = row.deliveries === undefined ? 0 : await countDeliveries(site);
  listeners.push(listener);
  const { as, headers = {} } = row;
  const reply = await site.request(verb, path, { as, headers, body: given(row.body, last) });
  listeners.splice(listeners.indexOf(listener), 1);
  try {
    compare(row, verb, path, reply);
    if (row.events) assert.deepEqual(heard, row.events, 'events');
    if (row.deliveries !== undefined)
      assert.equal((await countDeliveries(site)) - written, row.deliveries, 'deliveries');
  } catch (error) {
    throw new Error(`${request}: ${reply.status} ${reply.text}`, { cause: error });
  }
  return reply.body;
}

function compare(row: Row, verb: string, path: string, reply: TestReply): void {
  if (row.error) (path.startsWith('/api/v2/') ? assertErrors : assertEnvelope)(reply, row.error, row.status);
  else {
    const done = verb === 'DELETE' ? 202 : 200;
    assert.equal(reply.status, row.status ?? done);
  }
  if ('expect' in row) assert.deepEqual(partOf(reply.body, row.expect), row.expect);
  if (row.says) assert.match(reply.text, row.says);
}

/** What `actual` has of the keys that `wanted` names. */
function partOf(actual: unknown, wanted: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(wanted))
    return actual.map((each, index) => partOf(each, wanted[index]));
  if (!isObject(actual) || !isObject(wanted)) return actual;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, partOf(actual[key], wanted[key])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function given<T>(value: FromLast<T>, last: unknown): T {
  return value instanceof Function ? value(last) : value;
}

function split(request: string): string[] {
  const space = request.indexOf(' ');
  return [request.slice(0, space), request.slice(space + 1)];
}

async function countDeliveries(site: TestSite): Promise<number> {
  const row = await site.site.database.reader.get(sql`select count(*) as "n" from "_webhook_delivery"`);
  return Number(row?.['n']);
}
