import { useEffect, useState } from 'react';
import { isApiError } from '../../data/api-error.ts';

/** An attempt to sign in, what came of it, and how long to wait before the next. */
export interface Attempt {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Seconds until the server listens again; 0 when it does. */
  readonly wait: number;
  /** Runs the attempt; false when it failed. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Runs attempts one at a time, and counts down where the server asks to wait. */
export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  const wait = Math.max(0, Math.ceil((until - now) / 1_000));
  useEffect(() => {
    if (wait === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 1_000);
    return () => clearTimeout(timer);
  }, [wait]);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      const seconds = isApiError(failure) && failure.status === 429 ? (failure.retryAfter ?? 0) : 0;
      const at = Date.now();
      setNow(at);
      setUntil(at + seconds * 1_000);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, wait, run };
}
