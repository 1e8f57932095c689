import { auditApart, settleAudit } from '../access/audit-apart.ts';
import { type Authenticator, createAuthenticator } from '../access/authenticate.ts';
import type { CurrentUser } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { migrateSystemTables } from '../db/migrate.ts';
import { UnusableDatabase } from '../db/unusable.ts';
import type { CommitListener, Site } from '../document/context.ts';
import type { Controller, Controllers } from '../document/controller.ts';
import type { Method } from '../document/method.ts';
import { ChangeFeed } from '../feed/feed.ts';
import { startCollecting } from '../file/start-collecting.ts';
import type { Storage } from '../file/storage.ts';
import { type Clock, formatTimestamp, systemClock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { Metrics } from '../observe/metrics.ts';
import { auditListener } from '../standard/audit-listener.ts';
import { historyListener } from '../standard/history/listener.ts';
import { QueueWatch } from '../webhook/control/queue-watch.ts';
import { webhookListener } from '../webhook/webhook-listener.ts';
import { type DeliveryWorker, startDeliveryWorker } from '../webhook/worker.ts';
import type { App } from './app.ts';
import { bindFiles, refuseLostDatabase, requireOwnFiles } from './bind-files.ts';
import { checkApps } from './check-apps.ts';
import {
  customDocPermController,
  customFieldController,
  propertySetterController,
} from './customization-controller.ts';
import { makeDataDirectory, requireDatabaseFile } from './data-directory.ts';
import { defineApps } from './define-apps.ts';
import { doctypeController } from './doctype-controller.ts';
import { explainMovedSchema } from './explain-moved-schema.ts';
import { type FirstStart, firstStart, makeFirstDocuments, readUnclaimed } from './first-start.ts';
import { applyFixtures } from './fixtures.ts';
import { followMetadata } from './follow-metadata.ts';
import { loadRegistry } from './load-registry.ts';
import { lockDatabase } from './lock-database.ts';
import { type Mailer, openMailer } from './mailer.ts';
import { type Metadata, startMetadata } from './metadata.ts';
import { openSiteDatabase } from './open-site-database.ts';
import { filesPlaceOf, openStorage } from './open-storage.ts';
import { checkPatches, runPatches } from './patches.ts';
import { startRetention } from './retention.ts';
import { openKeys } from './secret-key.ts';
import { readSettings } from './settings-table.ts';
import { rememberSlowQueries } from './slow-queries.ts';
import { StartError } from './start-error.ts';
import { syncDoctypes } from './sync-doctypes.ts';
import { openSystemSettings, type SystemSettings } from './system-settings.ts';
import { webhookNotices } from './webhook-notice.ts';

/** A running instance with everything that serves it. */
export interface OpenSite extends Site {
  /** Methods of all apps, by the name under `/api/method/`. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly authenticator: Authenticator;
  readonly storage: Storage;
  readonly mailer: Mailer;
  /** What happens to documents, for `/api/events`. */
  readonly feed: ChangeFeed;
  /** What this process has done, in numbers. */
  readonly metrics: Metrics;
  /** How the queue of webhook deliveries stands. */
  readonly queueWatch: QueueWatch;
  /** Credentials made by this start, for the terminal, once; null when it was not the first. */
  readonly firstStart: FirstStart | null;
  /** An unforeseen error as what it means to a caller, when it came of a doctype that changed under the request. */
  explain(error: unknown): Promise<unknown>;
  /** Starts delivering webhooks from this process. Once; `close` stops it. */
  startWorker(): void;
  /** Stops the worker, closes the database, releases the data directory. Safe to call twice. */
  close(): Promise<void>;
}

export interface OpenSiteOptions {
  /** Apps in place of those named in `config.apps`. */
  readonly apps?: readonly App[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly observe?: Observer;
  /** Opens an existing site beside a running server: no lock, no migration, no first start. */
  readonly tool?: boolean;
  /** Plans every table anew, whether or not a definition changed since the last start. */
  readonly planEverything?: boolean;
  /** With `planEverything`: drops columns and tables that no definition has a place for. */
  readonly dataLoss?: boolean;
}

type Undo = () => void | Promise<void>;

/**
 * Opens the site that `config` describes, creating or migrating it where needed.
 * Rejects with a `StartError` whose message tells a person what to do; nothing stays open then.
 */
export async function openSite(config: Config, options: OpenSiteOptions = {}): Promise<OpenSite> {
  const undos: Undo[] = [];
  try {
    return await open(config, options, undos);
  } catch (error) {
    await undoAll(undos);
    if (error instanceof ServiceError || error instanceof UnusableDatabase) {
      throw new StartError(error.message, { cause: error });
    }
    throw error;
  }
}

async function open(config: Config, options: OpenSiteOptions, undos: Undo[]): Promise<OpenSite> {
  const clock = options.clock ?? systemClock();
  const random = options.random ?? systemRandom();
  const metrics = new Metrics();
  const observe: Observer = (observation) => {
    metrics.note(observation);
    options.observe?.(observation);
  };
  const stamp = { now: formatTimestamp(clock.micros(), config.timeZone), random };

  if (options.tool) requireDatabaseFile(config);
  else {
    makeDataDirectory(config);
    undos.push(await lockDatabase(config));
  }
  const place = filesPlaceOf(config);
  const storage = await openStorage(place, random, (message) => observe({ kind: 'warning', message }));
  undos.push(() => storage.close?.());
  const files = { config, place, storage, observe };
  if (!options.tool) await refuseLostDatabase(files);
  const database = await openSiteDatabase(config, {
    queryTimeout: config.lists.timeout,
    onRetry: (reason, attempt) => observe({ kind: 'transaction_retried', reason, attempt }),
    onWarning: (message) => observe({ kind: 'warning', message }),
    onFailure: (error) => observe({ kind: 'unexpected', where: 'database', error }),
  });
  undos.push(() => database.close());
  undos.push(() => settleAudit(database));
  if (options.tool) await requireExisting(database);
  else {
    await requireOwnFiles(files, database);
    await migrateSystemTables(database);
  }
  const unclaimed = options.tool ? null : await readUnclaimed(database.reader);
  const { keys, secretKey } = await openKeys(database, config, random);
  const mark = options.tool ? null : await bindFiles(files, database);

  const { apps, defined, meta, owner } = await defineApps(config, storage, options.apps);
  for (const app of apps) checkPatches(app);

  if (!options.tool) {
    const openPatiently = () => openSiteDatabase(config, { transactionTimeout: LIMITS.migrationTimeout });
    const { planEverything: everything = false, dataLoss = false } = options;
    const needs = { database, openPatiently, apps: defined, meta, stamp, observe, everything, dataLoss };
    await syncDoctypes(needs);
  }
  const registry = await loadRegistry(database.reader, meta, owner);
  for (const message of checkApps(apps, registry)) if (!options.tool) observe({ kind: 'warning', message });

  const metadata: Metadata = startMetadata(database, meta, owner, registry);
  const onChange = () => authenticator.forget();
  const settings = await openSystemSettings({ config, database, registry, observe, onChange });
  if (database.dialect.name === 'postgres' && !options.tool) {
    undos.push(followMetadata(database, metadata, settings, observe));
  }
  const slowQueries = options.tool ? null : rememberSlowQueries(database, clock, observe);
  undos.push(async () => slowQueries?.stop());
  const authenticator = createAuthenticator({
    database,
    clock,
    strictUserPermissions: () => settings.current.strictUserPermissions,
    refused: (user, address) => noteRefusedKey(site, user, address),
    sessionPolicy: () => ({ idle: settings.current.sessionIdle, life: settings.current.sessionLife }),
    observe,
  });
  const ours = { name: 'site', controllers: siteControllers(metadata, settings, authenticator) };

  const feed = new ChangeFeed({ clock, database, observe });
  undos.push(await feed.start(options.tool === true));

  const mailer = openMailer(config, observe);
  undos.push(() => mailer.close());

  let worker: DeliveryWorker | null = null;
  let made: FirstStart | null = null;
  const site: OpenSite = {
    config,
    get settings() {
      return settings.current;
    },
    database,
    get doctypes() {
      return metadata.current;
    },
    controllers: collectControllers([ours, ...apps]),
    commitListeners: [historyListener, auditListener, together(webhookListener(), feed.listener)],
    feed,
    clock,
    random,
    observe(observation) {
      if (observation.kind === 'slow_query') slowQueries?.note(observation, observation.millis);
      observe(observation);
    },
    keys,
    secretKey,
    methods: collectMethods(apps),
    authenticator,
    storage,
    mailer,
    metrics,
    queueWatch: new QueueWatch({ database, clock, observe }),
    get firstStart() {
      return made;
    },
    explain: (error) => explainMovedSchema(database, metadata, error),
    startWorker() {
      if (worker) return;
      const started = startDeliveryWorker(site, webhookNotices(site, mailer));
      worker = started;
      undos.push(() => started.stop());
    },
    close: () => undoAll(undos),
  };
  if (mark) {
    await makeFirstDocuments(site, stamp);
    await runPatches(site, apps);
    await applyFixtures(site, apps);
    made = await firstStart(site, stamp, unclaimed);
    undos.push(await startCollecting(site, site.storage, mark));
    undos.push(startRetention(site));
  }
  return site;
}

function noteRefusedKey(site: Site, user: CurrentUser, address: string): void {
  const origin = { credential: `key ${user.credential}`, address, agent: null, requestId: null };
  void auditApart(site, origin, { event: 'key_refused', user: user.name });
}

// Each begins by asking the database the same kind of question: on PostgreSQL they are sent without waiting.
function together(...listeners: readonly CommitListener[]): CommitListener {
  return async (ctx) => {
    await Promise.all(listeners.map((listen) => listen(ctx)));
  };
}

// Last opened, first closed; an emptied list makes a second call do nothing.
async function undoAll(undos: Undo[]): Promise<void> {
  for (let undo = undos.pop(); undo; undo = undos.pop()) await undo();
}

async function requireExisting(database: Database): Promise<void> {
  const exists = await readSettings(database.reader).then(
    (settings) => settings.has('first_start'),
    () => false,
  );
  if (!exists) throw new StartError('There is no site yet. Start the server once: chancery serve');
}

function siteControllers(
  metadata: Metadata,
  settings: SystemSettings,
  authenticator: Authenticator,
): Record<string, Controller> {
  const forget: Controller = {
    onUpdate: (_doc, ctx) => ctx.afterCommit(() => authenticator.forget()),
    onTrash: (_doc, ctx) => ctx.afterCommit(() => authenticator.forget()),
    afterRename: (_doc, ctx) => ctx.afterCommit(() => authenticator.forget()),
  };
  return {
    DocType: doctypeController(metadata),
    'Custom Field': customFieldController(metadata),
    'Property Setter': propertySetterController(metadata),
    'Custom DocPerm': customDocPermController(metadata),
    'User Permission': forget,
    DocShare: forget,
    'API Key': forget,
    // A name may be what a User Permission is for.
    '*': { afterRename: (_doc, ctx) => ctx.afterCommit(() => authenticator.forget()) },
    User: forget,
    Role: forget,
    'OAuth Client': forget,
    'System Settings': settings.controller,
  };
}

function collectControllers(apps: readonly Pick<App, 'name' | 'controllers'>[]): Controllers {
  const controllers = new Map<string, Controller[]>();
  for (const app of apps) {
    for (const [doctypeName, controller] of Object.entries(app.controllers ?? {})) {
      controllers.set(doctypeName, [...(controllers.get(doctypeName) ?? []), controller]);
    }
  }
  return controllers;
}

function collectMethods(apps: readonly App[]): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (const app of apps) {
    for (const [name, method] of Object.entries(app.methods ?? {})) {
      if (methods.has(name)) throw new StartError(`Two apps have a method ${name}, one of them ${app.name}.`);
      methods.set(name, method);
    }
  }
  return methods;
}
