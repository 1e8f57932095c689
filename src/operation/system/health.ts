import { version } from '../../config/version.ts';
import { sql } from '../../db/sql.ts';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { Remembered } from '../../kernel/remembered.ts';
import { backupState } from '../../site/backup-runs.ts';
import { loadNodes } from '../../site/nodes.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { databaseFigures, diskFigures, fileFigures } from '../../site/status/store-figures.ts';
import { STATE } from '../../webhook/queue/delivery-state.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { requireSystem, shownTime } from './present.ts';

/** Errors of this time count as recent; milliseconds. */
const RECENT = 60 * 60_000;

const HEALTH: JsonSchema = {
  type: 'object',
  properties: {
    version: { type: 'string' },
    node_version: { type: 'string' },
    problems: { type: 'array', items: { type: 'string' }, description: 'As in /health' },
    database: {
      type: 'object',
      description: 'Kind, version, size, response time and read replicas; sizes in bytes',
    },
    disks: { type: 'array', items: { type: 'object' } },
    files: { type: 'object', description: 'Stored files and the quarantine of deleted ones' },
    backup: {
      type: 'object',
      description:
        'The place of backups, the state that the last good one holds, and the last rehearsal of a restore',
    },
    queue: { type: 'object', description: 'Webhook deliveries that are not settled' },
    nodes: { type: 'array', items: { type: 'object' }, description: 'Servers that share the database' },
    workers: { type: 'array', items: { type: 'object' }, description: 'Processes of this server' },
    failing_jobs: { type: 'array', items: { type: 'string' }, description: 'Jobs whose last run failed' },
    recent_errors: { type: 'integer', description: 'Of this server, in the last hour' },
  },
};

/** The state of the server, for administrators. */
export const healthOperation: Operation = defineOperation({
  name: 'chancery.system.health',
  summary: 'Show the state of the server: disks, database, files, webhook queue, servers and processes',
  effect: 'read',
  roles: ['System Manager'],
  result: HEALTH,
  run: async (ctx, _args, { site }) => {
    requireSystem(ctx, 'read');
    const [stores, backup, queue, ping, nodes, workers, errors, replicas] = await Promise.all([
      storesOf(site).get(),
      backupOf(site),
      queueOf(site),
      pingOf(site),
      nodesOf(site),
      site.status.workers(),
      site.status.errors(),
      replicasOf(site),
    ]);
    const since = nowMillis(site.clock) - RECENT;
    const failing = workers.flatMap(({ jobs }) => jobs.filter(({ error }) => error !== null));
    return {
      version: version(),
      node_version: process.versions.node,
      problems: [
        ...site.space.full.map((of) => `no space is left for the ${of}`),
        ...(queue.is_stuck ? ['webhook deliveries are due and none is tried'] : []),
      ],
      database: { ...stores.database, ping_ms: ping, replicas },
      disks: diskFigures(site.config),
      files: { ...stores.files, quarantine_limit: site.config.quarantine.bytes },
      backup,
      queue,
      nodes,
      workers: workers.map(({ jobs: _jobs, ...figures }) => figures),
      failing_jobs: [...new Set(failing.map(({ job }) => job))],
      recent_errors: errors.reduce((sum, { at, times }) => (at >= since ? sum + times : sum), 0),
    };
  },
});

type Stores = Remembered<{
  readonly database: Awaited<ReturnType<typeof databaseFigures>>;
  readonly files: Awaited<ReturnType<typeof fileFigures>>;
}>;

// Sizes take long to add up on large sites.
const stores = new WeakMap<OpenSite, Stores>();

function storesOf(site: OpenSite): Stores {
  const known = stores.get(site);
  if (known) return known;
  const made: Stores = new Remembered(async () => ({
    database: await databaseFigures(site.database, site.config),
    files: await fileFigures(site.database, site.config),
  }));
  stores.set(site, made);
  return made;
}

async function backupOf(site: OpenSite) {
  const { moment, backup, rehearsal } = await backupState(site.database.reader, site);
  const timeOf = (millis: number | null | undefined) =>
    millis === null || millis === undefined ? null : shownTime(site, millis);
  return {
    is_configured: site.config.backup.to === null ? 0 : 1,
    moment: timeOf(moment),
    status: backup?.status ?? null,
    rehearsal: rehearsal?.status ?? null,
    rehearsed: timeOf(rehearsal?.started),
  };
}

async function pingOf({ database }: OpenSite): Promise<number> {
  const began = performance.now();
  await database.ping();
  return performance.now() - began;
}

async function replicasOf({ database: { replicas } }: OpenSite) {
  const figures = (await replicas?.figures()) ?? [];
  return figures.map(({ host, problem, behind }) => ({ host, problem, behind_bytes: behind }));
}

async function queueOf(site: OpenSite) {
  const { queueWatch, database, clock } = site;
  const [{ deliveries, oldest }, isStuck, row] = await Promise.all([
    queueWatch.figures(),
    queueWatch.isStuck(),
    database.reader.get(
      sql`select (select count(*) from (select 1 from "_webhook_delivery"
            where "state" = ${STATE.waiting} and "due_at" <= ${nowMillis(clock)} limit ${LIMITS.countCap}) as "d") as "due",
          (select count(*) from (select 1 from "_webhook_delivery"
            where "state" = ${STATE.waiting} and "attempt" > 0 limit ${LIMITS.countCap}) as "r") as "retrying"`,
    ),
  ]);
  return {
    ...deliveries,
    due: Number(row?.['due'] ?? 0),
    retrying: Number(row?.['retrying'] ?? 0),
    oldest_seconds: oldest,
    is_stuck: isStuck ? 1 : 0,
  };
}

async function nodesOf(site: OpenSite) {
  if (site.database.dialect.name === 'sqlite') return [];
  return (await loadNodes(site)).map(
    ({ id, host, pid, version: runs, workers, startedAt, seenAt, isAlive }) => ({
      id,
      host,
      pid,
      version: runs,
      workers,
      started: shownTime(site, startedAt),
      seen: shownTime(site, seenAt),
      is_alive: isAlive ? 1 : 0,
      is_this: id === site.node ? 1 : 0,
    }),
  );
}
