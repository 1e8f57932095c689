import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import { sqliteFile } from './data-directory.ts';
import { StartError } from './start-error.ts';

/** The connections of a worker to PostgreSQL: as many as it can use, and as few as it can work with. */
const MOST_CONNECTIONS = 15;
const LEAST_CONNECTIONS = 8;

/** The longest path of a local socket on every system; bytes. */
const LONGEST_SOCKET = 103;

/** The processes that serve a site from this machine. */
export interface WorkerPlan {
  readonly count: number;
  /** Connections of each worker to PostgreSQL. */
  readonly connections: number;
  /** Where the writer of an SQLite database answers for the other workers; null: all workers are alike. */
  readonly socket: string | null;
}

/** What a worker does with an SQLite database that several share; null: everything. */
export type WorkerRole = 'writer' | 'reader' | null;

/** The role of a worker: the first one writes. */
export function roleOf(plan: WorkerPlan | null, worker: number | null): WorkerRole {
  if (!plan?.socket || worker === null) return null;
  return worker === 1 ? 'writer' : 'reader';
}

/**
 * Divides the settings `workers` and `databaseConnections`.
 * @throws StartError with too few connections, for a role on SQLite, and with an SQLite database whose path is too
 * long for a socket
 */
export function planWorkers(config: Config): WorkerPlan {
  const { workers, role, databaseConnections: budget } = config;
  const most = Math.floor(budget / LEAST_CONNECTIONS);
  const file = sqliteFile(config);
  if (file !== null) {
    if (role !== 'all')
      throw new StartError(`The role ${role} needs PostgreSQL: one server has an SQLite database.`);
    // One process, until measurements show what several gain.
    const count = workers === 'auto' ? 1 : workers;
    return { count, connections: budget, socket: count > 1 ? socketBeside(file) : null };
  }
  if (workers !== 'auto' && workers > most) {
    throw new StartError(
      `${workers} workers need ${workers * LEAST_CONNECTIONS} connections to PostgreSQL, and databaseConnections is ${budget}.`,
    );
  }
  const count = workers === 'auto' ? Math.min(availableParallelism(), most) : workers;
  return { count, connections: Math.min(MOST_CONNECTIONS, Math.floor(budget / count)), socket: null };
}

function socketBeside(file: string): string {
  const path = `${file}-socket`;
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  throw new StartError(
    `The path ${path} is too long for a socket, which workers on SQLite need. Choose a shorter path for the data, or one worker.`,
  );
}

/**
 * The configuration of one of several workers: its share of what one server admits at the same time. The writer of an
 * SQLite database runs all writes.
 */
export function shareOf(config: Config, { count, socket }: WorkerPlan): Config {
  const share = (limit: number) => Math.ceil(limit / count);
  const shareOfWrites = (limit: number) => (socket === null ? share(limit) : limit);
  const { admission } = config;
  return {
    ...config,
    admission: {
      ...admission,
      reads: share(admission.reads),
      lists: share(admission.lists),
      writes: shareOfWrites(admission.writes),
      uploads: shareOfWrites(admission.uploads),
      logins: shareOfWrites(admission.logins),
      unsentPerCaller: share(admission.unsentPerCaller),
      unsent: share(admission.unsent),
    },
  };
}
