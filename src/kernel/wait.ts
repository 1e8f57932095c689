import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, without keeping the process up. False when it was stopped meanwhile. */
export async function waited(millis: number, signal?: AbortSignal): Promise<boolean> {
  return sleep(millis, undefined, { ref: false, ...(signal ? { signal } : {}) }).then(
    () => true,
    () => false,
  );
}
