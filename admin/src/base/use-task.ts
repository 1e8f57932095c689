import { useRef, useState } from 'react';

/** An action that the user starts, such as saving. */
export interface Task {
  readonly isBusy: boolean;
  /** The error of the last run; null after a success and during a run. */
  readonly error: unknown;
  /**
   * Runs the work. Calls during a run do nothing, so a double click sends one request. `onFailure` receives
   * the error, besides `error`.
   */
  readonly run: (work: () => Promise<unknown>, onFailure?: (failure: unknown) => void) => Promise<void>;
  /** Clears the error. */
  readonly forget: () => void;
}

/** The task of a button or form. Only one run at a time. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // A ref, because a second press before the next render does not see the state.
  const isRunning = useRef(false);
  const run: Task['run'] = async (work, onFailure) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(failure);
      onFailure?.(failure);
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, error, run, forget: () => setError(null) };
}
