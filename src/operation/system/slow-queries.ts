import { isLargeTable } from '../../db/index-progress.ts';
import { ident, sql } from '../../db/sql.ts';
import { type CompositeIndex, likeField, problemOf, writtenIndex } from '../../doctype/composite-indexes.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { readStored } from '../../document/verbs/read.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { indexFor } from '../../site/doctor/suggest-indexes.ts';
import { unreadyIndexes } from '../../site/schema/migration/index-states.ts';
import { loadSlowQueries } from '../../site/slow-queries.ts';
import { TEXT, texts } from '../arguments.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { object } from '../result.ts';
import { requireSystem, shownTime } from './present.ts';

/** Rows that a plan counts at most. */
const COUNTED = 1_000_000;
/** Rows of which an index is built in a second, on a slow machine. */
const ROWS_PER_SECOND = 200_000;

const INDEX = { doctype: TEXT, fields: texts(LIMITS.indexFields) };
const PLAN = object({
  doctype: { type: 'string' },
  fields: { type: 'array', items: { type: 'string' } },
  rows: { type: 'integer' },
  has_more: { type: 'integer', description: '1: the table has more rows than were counted' },
  seconds: { type: 'number', description: 'An upper estimate' },
  in_background: {
    type: 'integer',
    description: '1: the index is built after the reply, while others write',
  },
  stored_as: { type: 'string', description: 'DocType, or Property Setter for a doctype of an app' },
});

const BUILD = object({
  doctype: { type: 'string' },
  fields: { type: 'array', items: { type: 'string' } },
  state: { type: 'string', enum: ['waiting', 'building', 'interrupted'] },
  phase: { type: ['string', 'null'], description: 'What PostgreSQL does now' },
  percent: { type: ['integer', 'null'], description: 'Of this phase' },
  waits_for: { type: ['integer', 'null'], description: 'Transactions that the phase waits for' },
});

/** Slow queries, and the indexes that make them fast. */
export const slowQueryOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.system.slow_queries',
    summary: 'List the shapes of slow queries, without values, and the index that would help each',
    effect: 'read',
    roles: ['System Manager'],
    result: object({
      slow_after: { type: 'integer' },
      queries: { type: 'array', items: { type: 'object' } },
    }),
    run: async (ctx, _args, { site }) => {
      requireSystem(ctx, 'read');
      const queries = (await loadSlowQueries(site.database.reader)).map((query) => {
        const { shape, count, totalMillis, maxMillis, seenAt } = query;
        const doctype = ctx.doctypes.find(shape.doctype);
        return {
          ...shape,
          count,
          total_ms: totalMillis,
          average_ms: totalMillis / count,
          max_ms: maxMillis,
          last: shownTime(site, seenAt),
          index: doctype ? indexFor(doctype, shape) : null,
        };
      });
      return { slow_after: site.settings.slowAfter, queries };
    },
  }),

  defineOperation({
    name: 'chancery.system.index_builds',
    summary: 'List the indexes that are not ready, and the progress of those that are being built',
    effect: 'read',
    roles: ['System Manager'],
    result: { type: 'array', items: BUILD },
    run: async (ctx, _args, { site }) => {
      requireSystem(ctx, 'read');
      return (await unreadyIndexes(site.database.reader, ctx.doctypes)).map((each) => ({
        doctype: each.doctype,
        fields: writtenIndex(each.index),
        state: each.state,
        phase: each.build?.phase ?? null,
        percent: each.build ? Math.floor(100 * each.build.share) : null,
        waits_for: each.build?.waitsFor ?? null,
      }));
    },
  }),

  defineOperation({
    name: 'chancery.system.plan_index',
    summary: 'Show what creating an index of a doctype takes, without creating it',
    effect: 'read',
    roles: ['System Manager'],
    args: INDEX,
    result: PLAN,
    run: (ctx, args) => planIndex(ctx, args),
  }),

  defineOperation({
    name: 'chancery.system.create_index',
    summary: 'Create an index of a doctype, and store it in its definition or a Property Setter',
    effect: 'write',
    http: ['POST'],
    events: ['after_insert', 'on_update', 'on_change'],
    roles: ['System Manager'],
    args: INDEX,
    result: PLAN,
    run: async (ctx, args) => {
      const plan = await planIndex(ctx, args);
      await storeIndex(ctx, ctx.doctypes.get(plan.doctype), plan.fields);
      return plan;
    },
  }),
];

async function planIndex(
  ctx: Context,
  { doctype: name, fields }: { doctype: string; fields: CompositeIndex },
) {
  requireSystem(ctx, 'read');
  const doctype = ctx.doctypes.get(name);
  const problem = doctype.is_virtual ? 'has no table' : problemOf(doctype, fields);
  if (problem !== null) throw refused(`An index on ${fields.join(', ') || 'no field'} ${problem}`);
  if (likeField(fields) !== null && ctx.db.dialect.name === 'sqlite') {
    throw refused('SQLite has no index for like; PostgreSQL has');
  }
  if (doctype.indexes.some((index) => index.join() === fields.join())) {
    throw refused(`${doctype.name} has this index already`);
  }
  if (doctype.indexes.length >= LIMITS.indexesPerDoctype) {
    throw refused(`${doctype.name} has ${LIMITS.indexesPerDoctype} indexes, the most that are allowed`);
  }
  const row = await ctx.db.get(
    sql`select count(*) as "count" from (select 1 from ${ident(doctype.name)} limit ${COUNTED + 1}) as "counted"`,
  );
  const count = Number(row?.['count']);
  return {
    doctype: doctype.name,
    fields,
    rows: Math.min(count, COUNTED),
    has_more: count > COUNTED ? 1 : 0,
    seconds: Math.ceil((10 * count) / ROWS_PER_SECOND) / 10,
    in_background: Number(await isLargeTable(ctx.db, doctype.name)),
    stored_as: doctype.app === '' ? 'DocType' : 'Property Setter',
  };
}

/** The same way as by hand: the schema follows, and a later start finds the index wanted. */
async function storeIndex(ctx: Context, doctype: DocType, fields: CompositeIndex): Promise<void> {
  const indexes = JSON.stringify([...doctype.indexes, fields]);
  if (doctype.app === '') {
    await updateDocument(ctx, 'DocType', doctype.name, { indexes });
    return;
  }
  const name = `${doctype.name}-main-indexes`;
  if (await readStored(ctx, 'Property Setter', name)) {
    await updateDocument(ctx, 'Property Setter', name, { value: indexes });
    return;
  }
  const setter = { doctype_or_field: 'DocType', doc_type: doctype.name, property: 'indexes', value: indexes };
  await createDocument(ctx, 'Property Setter', setter);
}

function refused(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}
