import { randomBytes } from 'node:crypto';
import { keyRing } from '../../src/access/seal.ts';
import { type CurrentUser, currentUser } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { readLiveSettings } from '../../src/config/live-settings.ts';
import { applyChanges } from '../../src/db/apply-changes.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { DocType } from '../../src/doctype/doctype.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import { tableOf } from '../../src/doctype/schema-plan.ts';
import type { CommitListener, Context, Controller, Site } from '../../src/document/contract.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { Jobs } from '../../src/kernel/jobs.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { type Engine, freshDatabaseUrl } from './postgres.ts';

export const STAFF = currentUser('staff@example.com', ['Staff']);
export const OTHER_STAFF = currentUser('other@example.com', ['Staff']);
export const OUTSIDER = currentUser('outsider@example.com', []);

export interface MemorySiteOptions {
  /** Definitions as in JSON files; without `permissions` and not a child, Staff may do everything. */
  readonly doctypes: readonly Record<string, unknown>[];
  readonly controllers?: Readonly<Record<string, readonly Controller[]>>;
  readonly config?: Partial<Config>;
}

/**
 * A site for tests of documents, to be stopped after them: no HTTP, no standard doctypes, a clock that moves
 * by a second a question.
 */
export interface MemorySite extends Site {
  readonly clock: TestClock;
  /** `Doctype.event name`, of committed transactions, in order. */
  readonly events: string[];
  readonly observed: Observation[];
  /** Registered controllers; tests may add to the map. */
  readonly controllers: Map<string, readonly Controller[]>;
  /** One unit of work, as Staff unless said otherwise. */
  run<T>(work: (ctx: Context) => Promise<T>, user?: CurrentUser): Promise<T>;
  stop(): Promise<void>;
}

export interface TestClock extends Clock {
  /** Moves the clock to a moment, as after a correction; it may go back. */
  set(iso: string): void;
}

/** For `describeSite`. */
export function memorySite(options: MemorySiteOptions): (engine: Engine) => Promise<MemorySite> {
  return (engine) => openMemorySite(engine, options);
}

export async function openMemorySite(engine: Engine, options: MemorySiteOptions): Promise<MemorySite> {
  const { url, drop } = await freshDatabaseUrl(engine);
  const config = { ...DEFAULT_CONFIG, ...options.config };
  const database = await openDatabase(url, { queryTimeout: config.lists.timeout });
  await migrateSystemTables(database, SYSTEM_STEPS);
  const doctypes = options.doctypes.map(parse);
  await database.transaction(async (connection) => {
    const changes = doctypes.map((doctype) => ({ change: 'create_table', table: tableOf(doctype) }) as const);
    await applyChanges(connection, changes);
  });
  const events: string[] = [];
  const observed: Observation[] = [];
  const listener: CommitListener = async (ctx) => {
    const happened = ctx.events.map(({ name, doctype, doc }) => `${doctype.name}.${name} ${doc.name}`);
    ctx.afterCommit(() => {
      events.push(...happened);
    });
  };
  const clock = testClock();
  const site: MemorySite = {
    config,
    settings: readLiveSettings(config, {}).settings,
    database,
    doctypes: buildRegistry(doctypes, 1),
    controllers: new Map(Object.entries(options.controllers ?? {})),
    controllersWithoutHooks: new Map(),
    commitListeners: [listener],
    clock,
    jobs: new Jobs(clock),
    random: systemRandom(),
    observe: (observation) => observed.push(observation),
    keys: keyRing('test', randomBytes(32)),
    secretKey: randomBytes(32),
    restored: null,
    dropCaches: async () => {},
    events,
    observed,
    run: (work, user = STAFF) => unitOfWork(site, user, work),
    async stop() {
      await database.close();
      await drop();
    },
  };
  return site;
}

function parse(definition: Record<string, unknown>): DocType {
  const row = { role: 'Staff', read: 1, write: 1, create: 1, delete: 1 };
  const rights = definition['is_submittable'] ? { ...row, submit: 1, cancel: 1, amend: 1 } : row;
  const open = definition['istable'] ? {} : { permissions: [rights] };
  return parseDoctype({ doctype: 'DocType', module: 'Test', ...open, ...definition });
}

function testClock(): TestClock {
  let now = Date.parse('2026-11-21T10:00:00Z') * 1000;
  return {
    micros() {
      now += 1_000_001;
      return now;
    },
    set(iso) {
      now = Date.parse(iso) * 1000;
    },
  };
}
