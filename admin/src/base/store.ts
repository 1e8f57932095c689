import { useSyncExternalStore } from 'react';

/** A value outside of React that components may watch. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Resolves to what takes the listener off again. */
  subscribe(listener: () => void): () => void;
}

/** A store that tells its listeners when it holds something else. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store; the component re-renders when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
