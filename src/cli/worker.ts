import cluster, { type Worker } from 'node:cluster';
import { workerNumber } from '../config/worker-number.ts';
import { StartError } from '../site/start-error.ts';

/** True for the process that prepares the site: a server of one process, or the first worker of a supervisor. */
export function preparesSite(): boolean {
  const worker = supervised();
  return worker === null || worker.id === 1;
}

/**
 * Stops this worker when its supervisor is gone: at once, because a new supervisor needs the port.
 * @returns a function that leaves the supervisor, whose channel would keep the process running
 */
export function followSupervisor(): () => void {
  const worker = supervised();
  if (worker === null) return () => {};
  let isLeaving = false;
  worker.on('disconnect', () => {
    // Otherwise Node ends the process before its requests are answered.
    worker.exitedAfterDisconnect = true;
    if (!isLeaving) process.kill(process.pid, 'SIGINT');
  });
  return () => {
    isLeaving = true;
    if (process.connected) process.disconnect?.();
  };
}

/** Rejects when the supervisor of this worker is gone. Node's `listen` would wait for its answer for ever. */
export function supervisorLost(): Promise<never> {
  return new Promise((_, reject) => {
    const worker = supervised();
    const lost = () => reject(new StartError('The supervisor of this worker has ended.'));
    if (worker?.isConnected() === false) lost();
    else worker?.once('disconnect', lost);
  });
}

/** This worker; null in a process that no supervisor of ours started. */
function supervised(): Worker | null {
  return workerNumber() === null ? null : (cluster.worker ?? null);
}
