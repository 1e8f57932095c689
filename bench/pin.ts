import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Keeps a process on one core, where there is more than one. */
export function pin(pid: number, core: number): void {
  if (availableParallelism() < 2) return;
  try {
    execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' });
  } catch {
    // No taskset on this system: the figures are noisier, the ratios still hold.
  }
}
