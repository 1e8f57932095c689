import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { isApiError } from '../data/api-error.ts';
import { RETRY_OFFLINE } from '../data/query-client.ts';
import { ErrorPanel } from '../widgets/error-panel.tsx';
import { Stack } from '../widgets/layout.tsx';
import { Page } from '../widgets/page.tsx';
import { isMissingChunk, newVersion } from './new-version.ts';
import { NotFound } from './not-found.tsx';
import { NotPermitted } from './not-permitted.tsx';

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
  if (status === 403) return <NotPermitted />;
  if (status === 404) return <NotFound />;
  return (
    <Page title={t('Page unavailable')}>
      <Stack>
        <ErrorPanel error={error} onRetry={retry} />
        <span>
          <PathLink to={paths.home()}>{t('Go to Home')}</PathLink>
        </span>
      </Stack>
    </Page>
  );
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
