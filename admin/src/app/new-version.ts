import { createStore } from '../base/store.ts';

/** True after the server was updated while this page was open: the old chunks are gone, or soon will be. */
export const newVersion = createStore(false);

/** Detects chunks that no longer load. */
export function watchVersion(target: Window): void {
  target.addEventListener('vite:preloadError', () => {
    // Offline, a failed load says nothing about versions.
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
