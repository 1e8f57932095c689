/**
 * `npm run bench:work [-- --runs 5 --requests 2000 --only create,nodes --json FILE]`
 *
 * Two comparisons of CPU time on a PostgreSQL of its own with fsync on, in turns, as medians of the ratio of turns next
 * to each other. A first round warms up and does not count.
 *
 * - create: what PostgreSQL does for the creation of a ticket with one webhook through the server, beside a bare
 *   transaction of two inserts: the same row into the same table, and a row of an outbox. Nothing is delivered.
 * - nodes: what server and PostgreSQL do for a request of the mixed workload, with three servers beside one, for the
 *   same number of requests.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import crm from '../apps/crm/app.ts';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { openSite } from '../src/site/start/open-site.ts';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { freePort } from '../test/support/free-port.ts';
import { FIELDS, now } from './floor-store.ts';
import { type MakeRequest, quantile, sendAll } from './load.ts';
import { report } from './results.ts';
import { type Seeded, seed } from './seed.ts';
import { cpuMicrosBelow, type Served, startServer } from './servers.ts';
import { workloads } from './workloads.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    requests: { type: 'string', default: '2000' },
    only: { type: 'string', default: 'create,nodes' },
    json: { type: 'string' },
  },
});
const runs = Number(flags.runs);
const requests = Number(flags.requests);
const only = new Set(flags.only.split(','));
const TICKETS = 2_000;
const NODES = 3;

const TICKET = `insert into "Ticket" (${FIELDS.map((field) => `"${field}"`).join(', ')}, "modified_by")
  values (${FIELDS.map((_, index) => `$${index + 1}`).join(', ')}, 'bench')`;
const OUTBOX = 'insert into "bench_outbox" ("event", "body") values ($1, $2)';
let inserted = 0;

const TEXTS = {
  subject: 'The printer on the second floor',
  status: 'Open',
  priority: 'High',
  raised_by: 'someone@example.com',
  description: 'It makes a sound like a kettle and prints every page twice. '.repeat(3),
  owner: 'bench@example.com',
};

const running: Served[] = [];
const scratch = mkdtempSync(join(tmpdir(), 'chancery-work-'));
const postgres = await startPostgres(DURABLE);
try {
  const seeded = await seed(scratch, postgres.url, TICKETS);
  const rows: (string | number)[][] = [];
  // First, because the webhook would cost in the other one too.
  if (only.has('nodes')) rows.push(await compareNodes(seeded));
  if (only.has('create')) rows.push(...(await compareCreations(seeded)));
  const head = ['', 'CPU us: median', 'beside', 'CPU us: median', 'ratio: median', 'best', 'noise'];
  report({ title: `postgres, ${runs} rounds of ${requests} requests`, head, rows }, flags.json);
} finally {
  await stopAll();
  await postgres.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function started(site: Seeded): Promise<Served> {
  const server = await startServer(site);
  running.push(server);
  return server;
}

async function stopAll(): Promise<void> {
  for (const server of running.splice(0)) await server.stop();
}

/** CPU microseconds for each of the requests. */
type Turn = () => Promise<number>;

async function compare(name: string, ours: Turn, other: string, theirs: Turn): Promise<(string | number)[]> {
  const pairs: { readonly ours: number; readonly theirs: number }[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const pair = { theirs: await theirs(), ours: await ours() };
    if (run > 0) pairs.push(pair);
  }
  const middle = (figures: readonly number[]) => quantile(figures, 0.5);
  const ratios = pairs.map((pair) => pair.ours / pair.theirs);
  return [
    name,
    middle(pairs.map((pair) => pair.ours)),
    other,
    middle(pairs.map((pair) => pair.theirs)),
    middle(ratios),
    Math.min(...ratios),
    (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2,
  ];
}

async function compareCreations(seeded: Seeded): Promise<(string | number)[][]> {
  await addWebhook(seeded);
  const environment = { ...seeded.environment, CHANCERY_WEBHOOKS_WORKER: 'false', CHANCERY_WORKERS: '1' };
  const server = await started({ ...seeded, environment });
  const clients = await connect(seeded.floorDatabase);
  const create = requestOf('create', seeded);
  const ofDatabase = async (work: Promise<unknown>) => {
    const before = cpuMicrosBelow(postgres.pid);
    await work;
    return (cpuMicrosBelow(postgres.pid) - before) / requests;
  };
  const rows: (string | number)[][] = [];
  for (const atOnce of [1, 8, 32]) {
    rows.push(
      await compare(
        `create with a webhook, ${atOnce} at once`,
        () => ofDatabase(sendAll([server], create, requests, atOnce)),
        'insert and outbox row',
        () => ofDatabase(insertAll(clients.slice(0, atOnce))),
      ),
    );
  }
  await Promise.all(clients.map((client) => client.end()));
  await stopAll();
  return rows;
}

async function addWebhook({ data }: Seeded): Promise<void> {
  const site = await openSite(
    { ...DEFAULT_CONFIG, data, database: postgres.url },
    { apps: [crm], observe: () => {} },
  );
  await unitOfWork(site, ADMINISTRATOR, (ctx) =>
    createDocument(ctx, 'Webhook', {
      webhook_doctype: 'Ticket',
      webhook_docevent: 'after_insert',
      request_url: 'https://receiver.example.com/',
    }),
  );
  await site.close();
}

async function connect(url: string): Promise<readonly pg.Client[]> {
  const address = new URL(url);
  address.search = '';
  const open = async () => {
    const client = new pg.Client({ connectionString: address.href, pipeline: true } as pg.ClientConfig);
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  // As many as the server has for transactions.
  const clients = await Promise.all(Array.from({ length: 8 }, open));
  await clients[0]?.query(
    'create table "bench_outbox" ("id" bigint generated always as identity primary key, "event" text, "body" text)',
  );
  return clients;
}

/** As many transactions as requests; each client does one after another. */
async function insertAll(clients: readonly pg.Client[]): Promise<void> {
  let left = requests;
  const insertSome = async (client: pg.Client) => {
    while (left > 0) {
      left -= 1;
      inserted += 1;
      const at = now();
      const row: Record<string, string> = { ...TEXTS, name: `bare-${inserted}`, creation: at, modified: at };
      await Promise.all([
        client.query('begin'),
        client.query({ name: 'ticket', text: TICKET, values: FIELDS.map((field) => row[field] ?? null) }),
        client.query({ name: 'outbox', text: OUTBOX, values: ['after_insert', JSON.stringify(row)] }),
        client.query('commit'),
      ]);
    }
  };
  await Promise.all(clients.map(insertSome));
}

async function compareNodes(seeded: Seeded): Promise<(string | number)[]> {
  const mixed = requestOf('mixed', seeded);
  const turnOf = (count: number) => async () => {
    const environment = {
      ...seeded.environment,
      CHANCERY_WORKERS: '1',
      CHANCERY_FILES: join(seeded.data, 'files'),
      CHANCERY_SECRET_KEY: readFileSync(join(seeded.data, 'secret.key'), 'utf8').trim(),
    };
    for (let index = 0; index < count; index += 1) {
      const data = join(scratch, `node-${index}`);
      await started({ ...seeded, data, environment, port: await freePort() });
    }
    // Each has compiled what it runs, as in the long run.
    await sendAll(running, mixed, requests * count, 32);
    const used = () => running.reduce((sum, node) => sum + node.cpuMicros(), cpuMicrosBelow(postgres.pid));
    const before = used();
    await sendAll(running, mixed, requests, 32);
    const micros = (used() - before) / requests;
    await stopAll();
    return micros;
  };
  return compare('mixed, three nodes', turnOf(NODES), 'one node', turnOf(1));
}

function requestOf(name: string, seeded: Seeded): MakeRequest {
  const found = workloads(seeded).find((workload) => workload.name === name);
  if (!found) throw new Error(`no workload ${name}`);
  return found.ours;
}
