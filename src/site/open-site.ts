import type { Authenticator } from '../access/authenticate.ts';
import type { Config } from '../config/config.ts';
import type { Site } from '../document/context.ts';
import type { Method } from '../document/method.ts';
import type { Storage } from '../file/storage.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Observer } from '../kernel/observation.ts';
import type { Random } from '../kernel/random.ts';
import type { App } from './app.ts';
import type { FirstStart } from './first-start.ts';

/** A running instance with everything that serves it. */
export interface OpenSite extends Site {
  /** Methods of all apps, by the name under `/api/method/`. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly authenticator: Authenticator;
  readonly storage: Storage;
  /** 32 bytes: encrypts stored secrets. Never in the database. */
  readonly secretKey: Buffer;
  /** Credentials made by this start, for the terminal, once; null when none were made. */
  readonly firstStart: FirstStart | null;
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
}

/**
 * Opens the site that `config` describes, creating or migrating it where needed.
 * Rejects with a `StartError` whose message tells a person what to do.
 */
export function openSite(config: Config, options: OpenSiteOptions = {}): Promise<OpenSite> {
  throw new Error(`not yet: ${config.data} ${Object.keys(options).length}`);
}
