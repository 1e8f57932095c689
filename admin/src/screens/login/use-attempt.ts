import { useEffect, useState } from 'react';
import { type Task, useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';

/** An attempt to sign in, what came of it, and how long to wait before the next. */
export interface Attempt extends Pick<Task, 'isBusy' | 'error' | 'run'> {
  /** Seconds until the server listens again; 0 when it does. */
  readonly wait: number;
}

/** Runs attempts one at a time, and counts down where the server asks to wait. */
export function useAttempt(): Attempt {
  const { isBusy, error, run } = useTask();
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  const wait = Math.max(0, Math.ceil((until - now) / 1_000));
  useEffect(() => {
    if (wait === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 1_000);
    return () => clearTimeout(timer);
  }, [wait]);
  const attempt: Attempt['run'] = (work, onFailure) =>
    run(work, (failure) => {
      const seconds = isApiError(failure) && failure.status === 429 ? (failure.retryAfter ?? 0) : 0;
      const at = Date.now();
      setNow(at);
      setUntil(at + seconds * 1_000);
      onFailure?.(failure);
    });
  return { isBusy, error, wait, run: attempt };
}
