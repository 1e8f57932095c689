import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import { sqliteFile } from './data-directory.ts';
import { StartError } from './start-error.ts';

/** The connections of a worker to PostgreSQL: as many as it can use, and as few as it can work with. */
const MOST_CONNECTIONS = 15;
const LEAST_CONNECTIONS = 8;

/** The processes that serve a site from this machine. */
export interface WorkerPlan {
  readonly count: number;
  /** Connections of each worker to PostgreSQL. */
  readonly connections: number;
}

/**
 * Divides the settings `workers` and `databaseConnections`.
 * @throws StartError on SQLite, whose database belongs to one process, and with too few connections
 */
export function planWorkers(config: Config): WorkerPlan {
  const { workers, databaseConnections: budget } = config;
  const most = Math.floor(budget / LEAST_CONNECTIONS);
  const isSqlite = sqliteFile(config) !== null;
  if (isSqlite && workers !== 'auto' && workers > 1) {
    throw new StartError(
      `${workers} workers need PostgreSQL: an SQLite database belongs to one process. Set workers to 1 or auto.`,
    );
  }
  if (!isSqlite && workers !== 'auto' && workers > most) {
    throw new StartError(
      `${workers} workers need ${workers * LEAST_CONNECTIONS} connections to PostgreSQL, and databaseConnections is ${budget}.`,
    );
  }
  const wanted = workers === 'auto' ? Math.min(availableParallelism(), most) : workers;
  const count = isSqlite ? 1 : wanted;
  return { count, connections: Math.min(MOST_CONNECTIONS, Math.floor(budget / count)) };
}

/** The configuration of one of several workers: its share of what one server admits at the same time. */
export function shareOf(config: Config, workers: number): Config {
  const share = (limit: number) => Math.ceil(limit / workers);
  const { admission } = config;
  return {
    ...config,
    admission: {
      ...admission,
      reads: share(admission.reads),
      lists: share(admission.lists),
      writes: share(admission.writes),
      uploads: share(admission.uploads),
      logins: share(admission.logins),
      unsentPerCaller: share(admission.unsentPerCaller),
      unsent: share(admission.unsent),
    },
  };
}
