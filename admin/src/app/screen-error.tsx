import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isApiError } from '../data/api-error.ts';
import { RETRY_OFFLINE } from '../data/query-client.ts';
import { ScreenProblem } from '../widgets/screen-problem.tsx';
import { isMissingChunk, newVersion } from './new-version.ts';

/** Shows why a screen failed, and the way on. The rest of the page stays. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const queries = useQueryErrorResetBoundary();
  const status = isApiError(error) ? error.status : null;
  useEffect(() => {
    if (isMissingChunk(error)) newVersion.set(true);
  }, [error]);
  const retry = () => {
    queries.reset();
    reset();
  };
  useReturn(status === 0, retry);
  return <ScreenProblem error={error} onRetry={retry} />;
}

/** Tries again by itself until the connection is back. */
function useReturn(isLost: boolean, retry: () => void): void {
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    if (!isLost) return;
    const again = () => latest.current();
    const timer = setInterval(again, RETRY_OFFLINE);
    addEventListener('online', again);
    return () => {
      clearInterval(timer);
      removeEventListener('online', again);
    };
  }, [isLost]);
}
