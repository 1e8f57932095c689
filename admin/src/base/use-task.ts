import { useRef, useState } from 'react';

/** Something that is done at a press. */
export interface Task {
  readonly isBusy: boolean;
  /** Why it failed the last time; null where it did not, or runs again. */
  readonly error: unknown;
  /**
   * Does it. While it is being done another press does nothing, also before anybody could see that it is:
   * what is sent is sent once. `onFailure` is told of a failure, besides `error`.
   */
  readonly run: (work: () => Promise<unknown>, onFailure?: (failure: unknown) => void) => Promise<void>;
  /** Says no more why it failed. */
  readonly forget: () => void;
}

/** The task of a button or form: one runs at a time. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // A second press before the next render does not see the state.
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
