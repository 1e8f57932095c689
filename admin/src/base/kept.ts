import { createStore, type Store } from './store.ts';

/**
 * A store that this device keeps. `read` checks the stored value, which another version may have written;
 * null: it is not usable.
 */
export function createKept<T>(key: string, initial: T, read: (stored: unknown) => T | null): Store<T> {
  const store = createStore(stored(key, read) ?? initial);
  return {
    ...store,
    set(value) {
      store.set(value);
      localStorage.setItem(key, JSON.stringify(value));
    },
  };
}

function stored<T>(key: string, read: (stored: unknown) => T | null): T | null {
  try {
    return read(JSON.parse(localStorage.getItem(key) ?? 'null'));
  } catch {
    return null;
  }
}
