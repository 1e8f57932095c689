import { setTimeout as sleep } from 'node:timers/promises';

/** Waits without keeping the process running. Resolves to false when `signal` aborted the wait. */
export async function waited(millis: number, signal?: AbortSignal): Promise<boolean> {
  return sleep(millis, undefined, { ref: false, ...(signal ? { signal } : {}) }).then(
    () => true,
    () => false,
  );
}

/** Waits for work to end, for at most so many milliseconds. */
export async function within(millis: number, work: PromiseLike<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, millis);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
