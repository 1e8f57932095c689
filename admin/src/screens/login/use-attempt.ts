import { useEffect, useState } from 'react';
import { type Task, useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';

/** A sign-in attempt: its state, its error and the wait before the next one. */
export interface Attempt extends Pick<Task, 'isBusy' | 'error' | 'run'> {
  /** Seconds until the server accepts another attempt; 0 if it does now. */
  readonly wait: number;
}

/** Runs one attempt at a time. Counts down if the server asks to wait. */
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
