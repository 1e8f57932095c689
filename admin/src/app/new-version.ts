import { createStore } from '../base/store.ts';

/** The server was updated while this page was open: chunks of this version are gone, or will be. */
export const newVersion = createStore(false);

/** Notices chunks that cannot be loaded any more. */
export function watchVersion(target: Window): void {
  target.addEventListener('vite:preloadError', () => {
    // Without a network no version can load.
    if (navigator.onLine) newVersion.set(true);
  });
}

/** Whether an error comes from a missing chunk. */
export function isMissingChunk(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script failed|preload CSS/i.test(error.message)
  );
}
