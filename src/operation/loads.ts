import { type AuditEvent, audit } from '../access/audit.ts';
import type { Context } from '../document/contract.ts';
import { readDocument } from '../document/verbs/read.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import {
  createLoad,
  DATA_LOAD,
  type LoadMode,
  type LoadStatus,
  readLoad,
  writeLoad,
} from '../load/data-load.ts';
import { readProblems } from '../load/problems.ts';
import { type DeclaredArgument, FLAG, OPTIONAL_TEXT, TEXT, whole } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const TEXT_RESULT = { type: 'string' };
const COUNT = { type: 'integer' };
const STARTED = object({ name: TEXT_RESULT, status: TEXT_RESULT });

const MODES: readonly LoadMode[] = ['Insert', 'Update', 'Upsert'];
const MODE: DeclaredArgument<string | undefined> = {
  ...OPTIONAL_TEXT,
  schema: { type: 'string', enum: MODES },
};

const PROBLEM = object({
  kind: { type: 'string', enum: ['error', 'changed', 'link', 'undo'] },
  doctype: TEXT_RESULT,
  key: TEXT_RESULT,
  row: COUNT,
  field: TEXT_RESULT,
  value: TEXT_RESULT,
  reason: TEXT_RESULT,
});

/** Loads of documents on a server: start, pause, go on, undo, and their log. Data Load shows how far each is. */
export const loadOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.load.start',
    summary: 'Load the documents of an uploaded NDJSON file as they were, in the background',
    effect: 'write',
    roles: ['System Manager'],
    wholeUser: true,
    http: ['POST'],
    events: ['after_insert', 'on_update', 'on_change'],
    args: { file: TEXT, mode: MODE, skip_existing: FLAG, events: FLAG },
    result: STARTED,
    run: async (ctx, { file, mode = 'Insert', skip_existing, events }, { site }) => {
      const chosen = MODES.find((one) => one === mode);
      if (!chosen) throw new ServiceError('ValidationError', `mode must be one of ${MODES.join(', ')}`);
      const { file_url, file_name, name: sourceId } = await readDocument(ctx, 'File', file);
      const url = String(file_url ?? '');
      if (!url.startsWith('/private/')) {
        throw new ServiceError('ValidationError', 'The file of a load must be a private one of this site');
      }
      const name = await createLoad(ctx, {
        ...{ kind: 'Load', mode: chosen, format: 'ndjson', status: 'Running' },
        ...{ source: String(file_name ?? url), sourceId, file: url },
        options: { skip_existing, events },
      });
      await audit(ctx, { event: 'load_started', doctype: DATA_LOAD, name, details: { source: url, mode } });
      ctx.afterCommit(() => site.jobs.ask('run_loads'));
      return { name, status: 'Running' };
    },
  }),

  change('chancery.load.pause', 'Pause a load: it stops after the records at hand', 'Paused', ['Running']),

  change('chancery.load.resume', 'Go on with a load that is paused or has failed', 'Running', [
    'Paused',
    'Failed',
  ]),

  change(
    'chancery.load.undo',
    'Undo a load, the last record first; documents that have changed since stay',
    'Undoing',
    ['Done', 'Paused', 'Failed'],
    'load_undone',
  ),

  defineOperation({
    name: 'chancery.load.problems',
    summary: 'List the problems of a load: failed records, changed values, broken links',
    effect: 'read',
    args: { load: TEXT, start: whole(0, LIMITS.loadProblems), limit: whole(100, 1_000) },
    result: { type: 'array', items: PROBLEM },
    run: async (ctx, { load, start, limit }) => {
      const { name } = await readDocument(ctx, DATA_LOAD, load);
      return readProblems(ctx.db, name, { start, limit });
    },
  }),
];

/** An operation that gives a load another status. Its owner and System Managers may read it, and change it. */
function change(
  name: string,
  summary: string,
  status: LoadStatus,
  from: readonly LoadStatus[],
  event?: AuditEvent,
): Operation {
  return defineOperation({
    ...{ name, summary, effect: 'write', wholeUser: true, http: ['POST'] },
    args: { load: TEXT },
    result: STARTED,
    run: async (ctx, { load }, { site }) => {
      const document = await readDocument(ctx, DATA_LOAD, load);
      await requireFile(ctx, document.name);
      if (!(await writeLoad(ctx.site, ctx.db, document.name, { status, error: null, runner: '' }, from))) {
        const is = (await readLoad(ctx.db, document.name)).status;
        throw new ServiceError('ValidationError', `${DATA_LOAD} ${load} is ${is}, not ${from.join(' or ')}`);
      }
      if (event) await audit(ctx, { event, doctype: DATA_LOAD, name: document.name });
      ctx.afterCommit(() => site.jobs.ask('run_loads'));
      return { name: document.name, status };
    },
  });
}

/** A load from the command line goes on there, because this server does not have its file. @throws ServiceError */
async function requireFile(ctx: Context, name: string): Promise<void> {
  if ((await readLoad(ctx.db, name)).file !== null) return;
  throw new ServiceError('ValidationError', `${DATA_LOAD} ${name} runs on the command line: chancery import`);
}
