import { type AuditEvent, audit } from '../access/audit.ts';
import { isSystemManager } from '../access/user.ts';
import type { Connection } from '../db/database.ts';
import { readDocument } from '../document/verbs/read.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import {
  createLoad,
  DATA_LOAD,
  type DataLoad,
  type LoadMode,
  type LoadStatus,
  readLoad,
  writeLoad,
} from '../load/data-load.ts';
import { countEntries } from '../load/ledger.ts';
import { readProblems } from '../load/problems.ts';
import { RECORDED, readRecords } from '../load/read-records.ts';
import { choice, FLAG, TEXT, whole } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const TEXT_RESULT = { type: 'string' };
const COUNT = { type: 'integer' };
/** A load, and what it is doing. */
export const STARTED = object({ name: TEXT_RESULT, status: TEXT_RESULT });

/** What a load does with documents that exist, and with others. */
export const MODES: readonly LoadMode[] = ['Insert', 'Update', 'Upsert'];
/** What the argument `mode` means. */
export const MODE = '`Insert` creates documents, `Update` changes existing ones, `Upsert` does both';

const KINDS = ['error', 'changed', 'link', 'undo'] as const;

const RECORD = object({
  seq: COUNT,
  row: COUNT,
  doctype: TEXT_RESULT,
  name: TEXT_RESULT,
  action: { type: 'string', enum: RECORDED },
});

const PROBLEM = object({
  kind: { type: 'string', enum: KINDS },
  doctype: TEXT_RESULT,
  key: TEXT_RESULT,
  row: COUNT,
  field: TEXT_RESULT,
  value: TEXT_RESULT,
  reason: TEXT_RESULT,
});

const PAGE = {
  name: { ...TEXT, description: 'The name of the Data Load' },
  limit: { ...whole(100, 1_000), description: 'Entries of this page' },
};

/** Loads of documents on a server: start, pause, go on, undo, and their log. Data Load shows how far each is. */
export const loadOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.load.start',
    summary: 'Load the documents of an uploaded NDJSON file as they were, in the background, or check them',
    effect: 'write',
    roles: ['System Manager'],
    wholeUser: true,
    http: ['POST'],
    events: ['after_insert', 'on_update', 'on_change'],
    args: {
      file: { ...TEXT, description: 'The name of a private File of NDJSON' },
      mode: { ...choice(MODES, 'Insert'), description: MODE },
      skip_existing: { ...FLAG, description: 'With Insert: a document that exists stays, and is no problem' },
      events: { ...FLAG, description: 'Announce each document to webhooks, the change feed and the history' },
      dry_run: {
        ...FLAG,
        description: 'Only check: each record is stored and undone. Links are not checked',
      },
    },
    result: STARTED,
    run: async (ctx, { file, mode, skip_existing, events, dry_run }, { site }) => {
      const { file_url, file_name, name: sourceId } = await readDocument(ctx, 'File', file);
      const url = String(file_url ?? '');
      if (!url.startsWith('/private/')) {
        throw new ServiceError('ValidationError', 'The file of a load must be a private one of this site');
      }
      const status: LoadStatus = dry_run ? 'Checking' : 'Running';
      const name = await createLoad(ctx, {
        ...{ kind: 'Load', mode, format: 'ndjson', status },
        ...{ source: String(file_name ?? url), sourceId, file: url },
        options: { skip_existing, events },
      });
      await audit(ctx, { event: 'load_started', doctype: DATA_LOAD, name, details: { source: url, mode } });
      ctx.afterCommit(() => site.jobs.ask('run_loads'));
      return { name, status };
    },
  }),

  change('run', 'Store the records of a load that is checked, paused or has failed', 'Running', [
    'Draft',
    'Checked',
    'Paused',
    'Failed',
  ]),
  change('check', 'Check the file of a load again, without storing anything', 'Checking', [
    'Draft',
    'Checked',
    'Failed',
  ]),
  change(
    'pause',
    'Pause a load: it stops after the records at hand. A check ends, and its load is a Draft',
    'Paused',
    ['Running', 'Checking'],
  ),
  change(
    'undo',
    'Undo a load, the last record first; documents that have changed since stay',
    'Undoing',
    ['Done', 'Paused', 'Failed'],
    'load_undone',
  ),

  defineOperation({
    name: 'chancery.load.problems',
    summary: 'List the problems of a load: failed records, changed values, broken links',
    effect: 'read',
    args: {
      ...PAGE,
      start: { ...whole(0, LIMITS.loadProblems), description: 'Entries to leave out' },
      kind: { ...choice(KINDS), description: 'Only entries of this kind' },
    },
    result: { type: 'array', items: PROBLEM },
    run: async (ctx, { name, start, limit, kind }) => {
      const load = await readDocument(ctx, DATA_LOAD, name);
      return readProblems(ctx.db, load.name, { start, limit, kind });
    },
  }),

  defineOperation({
    name: 'chancery.load.records',
    summary: 'List the records that a load has stored, with their documents, in the order of their numbers',
    effect: 'read',
    args: {
      ...PAGE,
      after: { ...whole(0, Number.MAX_SAFE_INTEGER), description: 'The `seq` of the last record so far' },
      action: { ...choice(RECORDED), description: 'Only records of this outcome' },
    },
    result: { type: 'array', items: RECORD },
    run: async (ctx, { name, after, limit, action }) => {
      const load = await readDocument(ctx, DATA_LOAD, name);
      return readRecords(ctx.db, load.name, { after, limit, action });
    },
  }),
];

/**
 * An operation that gives a load another status, where the background goes on with it. Its owner may call it; only
 * a System Manager changes the loading operation.
 */
function change(
  action: string,
  summary: string,
  to: LoadStatus,
  from: readonly LoadStatus[],
  event?: AuditEvent,
): Operation {
  return defineOperation({
    ...{ name: `chancery.load.${action}`, summary, effect: 'write', wholeUser: true, http: ['POST'] },
    args: { name: PAGE.name },
    result: STARTED,
    run: async (ctx, { name }, { site }) => {
      const document = await readDocument(ctx, DATA_LOAD, name);
      const load = await readLoad(ctx.db, document.name);
      if (load.kind === 'Load' && !isSystemManager(ctx.user)) {
        throw new ServiceError('PermissionError', 'Only a System Manager changes the course of a load');
      }
      requireHere(load, to);
      if (to === 'Checking') await requireNothingStored(ctx.db, load);
      // Nothing of a check is stored: after a pause, `run` would not go on with it but import.
      const status = to === 'Paused' && load.status === 'Checking' ? 'Draft' : to;
      // A run that still works on the load ends, once its transactions have.
      const next = { status, runner: '', error: null };
      if (
        !from.includes(load.status) ||
        !(await writeLoad(ctx.site, ctx.db, load.name, next, [load.status]))
      ) {
        throw new ServiceError(
          'ValidationError',
          `${DATA_LOAD} ${load.name} is ${load.status}, not ${from.join(' or ')}`,
        );
      }
      if (event) await audit(ctx, { event, doctype: DATA_LOAD, name: load.name });
      ctx.afterCommit(() => site.jobs.ask('run_loads'));
      return { name: load.name, status };
    },
  });
}

/** A load from the command line goes on there, because this server does not have its file. @throws ServiceError */
function requireHere({ name, file }: DataLoad, status: LoadStatus): void {
  if (file === null && (status === 'Running' || status === 'Checking')) {
    throw new ServiceError(
      'ValidationError',
      `${DATA_LOAD} ${name} runs on the command line: chancery import`,
    );
  }
}

/** A check would find the records of the load itself, and an undo does not follow it. @throws ServiceError */
async function requireNothingStored(db: Connection, { name }: DataLoad): Promise<void> {
  if ((await countEntries(db, name)).size === 0) return;
  throw new ServiceError(
    'ValidationError',
    `${DATA_LOAD} ${name} has stored records: chancery.load.run goes on with it, chancery.load.undo takes them back`,
  );
}
