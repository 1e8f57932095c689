import cluster from 'node:cluster';

/** The environment variable by which a supervisor numbers its workers. It is no setting. */
export const WORKER_NUMBER = '_CHANCERY_WORKER';

/**
 * The number of this worker, from 1; null in a process that no supervisor of ours started. Process managers use
 * `cluster` too.
 */
export function workerNumber(): number | null {
  const number = process.env[WORKER_NUMBER];
  return cluster.isWorker && number !== undefined ? Number(number) : null;
}
