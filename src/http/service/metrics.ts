import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { digestSecret, sameDigest } from '../../access/digest.ts';
import { isSystemManager } from '../../access/user.ts';
import type { Config } from '../../config/config.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { gaugeLines } from '../../observe/exposition.ts';
import { mergeExpositions } from '../../observe/merge-expositions.ts';
import { notPermitted } from '../../operation/operation.ts';
import { backupState } from '../../site/backup-runs.ts';
import { sqliteLogBytes } from '../../site/data-directory.ts';
import type { Answer } from '../../site/siblings.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { requireRouteInScope } from '../caller/route-scope.ts';
import { addRoute } from '../route-table.ts';
import { METRICS } from './addresses.ts';

/** Prometheus's text format. */
const TOPIC = 'metrics';
/** How often the lag of the event loop is measured; milliseconds. */
const LAG_RESOLUTION = 100;
const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics`: metrics for Prometheus. Needs the configured token, or an API key of a System Manager. */
export function registerMetricsRoute(app: FastifyInstance, site: OpenSite): void {
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION });
  lag.enable();
  app.addHook('onClose', async () => void lag.disable());
  const ownLines = () => [
    ...site.metrics.lines(),
    ...unsentLines(app),
    ...readLines(site),
    ...processLines(),
    ...heapLines(),
    ...lagLines(lag),
  ];
  const siteLines = async () => [
    ...(await webhookLines(site)),
    ...(await databaseLines(site)),
    ...(await replicaLines(site)),
    ...(await backupLines(site)),
  ];
  site.siblings.answer(TOPIC, ownLines);
  // Each process sends its own, and those of the whole site.
  const stop = site.telemetry?.sendMetrics(async () => [...ownLines(), ...(await siteLines())]);
  if (stop) app.addHook('onClose', stop);
  addRoute(app, METRICS, async (request, reply) => {
    await requireReader(site, request);
    const others = site.siblings.ask(TOPIC);
    const lines = await siteLines();
    const all = [...allLines(site.siblings.worker, ownLines(), await others), ...lines];
    return reply.header('content-type', TYPE).send(`${all.join('\n')}\n`);
  });
}

/** The lines of this process, or of all workers with their numbers. */
function allLines(
  worker: number | null,
  own: readonly string[],
  others: readonly Answer[],
): readonly string[] {
  if (worker === null) return own;
  const answered = others.flatMap(({ worker: number, answer: lines }) =>
    Array.isArray(lines) ? [{ worker: number, lines }] : [],
  );
  return mergeExpositions([{ worker, lines: own }, ...answered]);
}

function unsentLines(app: FastifyInstance): string[] {
  return gaugeLines('chancery_http_unsent_bytes', 'Bytes of replies that clients have not read yet.', [
    [{}, app.unsentBytes()],
  ]);
}

async function requireReader(site: OpenSite, request: FastifyRequest): Promise<void> {
  const { authorization } = request.headers;
  const { token } = site.config.metrics;
  if (authorization === undefined) throw notPermitted();
  const [, given] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token !== null && given !== undefined && sameDigest(digestSecret(given), digestSecret(token))) return;
  try {
    request.user = await site.authenticator.fromHeader(authorization, request.ip);
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'AuthenticationError') request.fine();
    throw error;
  }
  requireRouteInScope(request);
  if (!isSystemManager(request.user)) throw notPermitted();
}

async function webhookLines({ queueWatch }: OpenSite): Promise<string[]> {
  const { deliveries, oldest } = await queueWatch.figures();
  const isStuck = await queueWatch.isStuck();
  const states = Object.entries(deliveries).map(([state, count]) => [{ state }, count] as const);
  return [
    ...gaugeLines(
      'chancery_webhook_deliveries',
      'Deliveries that are not settled, of the whole site.',
      states,
    ),
    ...gaugeLines(
      'chancery_webhook_oldest_undelivered_seconds',
      'Age of the oldest delivery that is neither settled nor held, of the whole site.',
      [[{}, oldest]],
    ),
    ...gaugeLines('chancery_webhook_stuck', '1 while deliveries are due and no process attempts them.', [
      [{}, isStuck ? 1 : 0],
    ]),
  ];
}

async function databaseLines({ database, config }: OpenSite): Promise<string[]> {
  const began = performance.now();
  const answers = await database.ping().then(
    () => 1,
    () => 0,
  );
  const seconds = (performance.now() - began) / 1000;
  return [
    ...gaugeLines('chancery_database_up', '1 when the database answers.', [[{}, answers]]),
    ...gaugeLines('chancery_database_ping_seconds', 'Response time of the database.', [[{}, seconds]]),
    ...logLines(config),
  ];
}

function logLines(config: Config): string[] {
  const bytes = sqliteLogBytes(config);
  if (bytes === null) return [];
  return gaugeLines('chancery_database_log_bytes', "Size of SQLite's write-ahead log.", [[{}, bytes]]);
}

function readLines({ database: { replicas } }: OpenSite): string[] {
  if (replicas === null) return [];
  return gaugeLines(
    'chancery_replica_reads_total',
    'Reads with the position of a change, by the server that answered.',
    Object.entries(replicas.reads).map(([source, count]) => [{ source }, count] as const),
    'counter',
  );
}

async function backupLines(site: OpenSite): Promise<string[]> {
  const { moment, backup, rehearsal } = await backupState(site.database.reader, site);
  const ageOf = (millis: number) => Math.max(0, (nowMillis(site.clock) - millis) / 1_000);
  return [
    ...(moment === null
      ? []
      : gaugeLines('chancery_backup_age_seconds', 'Age of the state that the last good backup holds.', [
          [{}, ageOf(moment)],
        ])),
    ...(backup === null
      ? []
      : gaugeLines('chancery_backup_ok', '1 when the last attempt to make a backup succeeded.', [
          [{}, backup.status === 'Succeeded' ? 1 : 0],
        ])),
    ...(rehearsal === null
      ? []
      : [
          ...gaugeLines('chancery_rehearsal_ok', '1 when the last rehearsal of a restore succeeded.', [
            [{}, rehearsal.status === 'Succeeded' ? 1 : 0],
          ]),
          ...gaugeLines('chancery_rehearsal_age_seconds', 'Age of the last rehearsal of a restore.', [
            [{}, ageOf(rehearsal.started)],
          ]),
        ]),
  ];
}

async function replicaLines({ database: { replicas } }: OpenSite): Promise<string[]> {
  const figures = (await replicas?.figures()) ?? [];
  if (figures.length === 0) return [];
  const up = figures.map(({ host, problem }) => [{ replica: host }, problem === null ? 1 : 0] as const);
  const behind = figures.flatMap(({ host, behind: bytes }) =>
    bytes === null ? [] : [[{ replica: host }, bytes] as const],
  );
  return [
    ...gaugeLines('chancery_replica_up', '1 when the read replica can be used.', up),
    ...gaugeLines(
      'chancery_replica_behind_bytes',
      'Bytes of the log that the read replica has not replayed.',
      behind,
    ),
  ];
}

function processLines(): string[] {
  const { user, system } = process.cpuUsage();
  return [
    ...gaugeLines(
      'process_cpu_seconds_total',
      'CPU time of this process.',
      [[{}, (user + system) / 1_000_000]],
      'counter',
    ),
    ...gaugeLines('process_resident_memory_bytes', 'Memory of this process.', [
      [{}, process.memoryUsage.rss()],
    ]),
    ...gaugeLines('process_uptime_seconds', 'Time since the start of this process.', [
      [{}, process.uptime()],
    ]),
    ...gaugeLines(
      'nodejs_eventloop_utilization',
      'Share of the time since the start that the event loop was busy.',
      [[{}, performance.eventLoopUtilization().utilization]],
    ),
  ];
}

function heapLines(): string[] {
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  return [
    ...gaugeLines('nodejs_heap_size_used_bytes', 'Heap of this process in use.', [[{}, heapUsed]]),
    ...gaugeLines('nodejs_heap_size_total_bytes', 'Heap of this process.', [[{}, heapTotal]]),
    ...gaugeLines('nodejs_external_memory_bytes', 'Buffers of this process outside of the heap.', [
      [{}, external],
    ]),
  ];
}

/** Begins anew each time: a lag long ago says nothing about now. */
function lagLines(lag: ReturnType<typeof monitorEventLoopDelay>): string[] {
  const seconds = (nanos: number) => Math.max(0, nanos / 1e9 - LAG_RESOLUTION / 1_000);
  const values = [0.5, 0.99, 1].map((quantile) => {
    const nanos = lag.count > 0 ? lag.percentile(quantile * 100) : 0;
    return [{ quantile: String(quantile) }, seconds(nanos)] as const;
  });
  lag.reset();
  return gaugeLines('nodejs_eventloop_lag_seconds', 'Lag of the event loop since the last look.', values);
}
