import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { t } from '../base/i18n.ts';
import { ErrorPanel } from '../widgets/error-panel.tsx';
import { Page } from '../widgets/page.tsx';
import { isMissingChunk, newVersion } from './new-version.ts';

/** Shows why a screen failed and offers a retry. The rest of the page stays. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const queries = useQueryErrorResetBoundary();
  useEffect(() => {
    if (isMissingChunk(error)) newVersion.set(true);
  }, [error]);
  const retry = () => {
    queries.reset();
    reset();
  };
  return (
    <Page title={t('Page unavailable')}>
      <ErrorPanel error={error} onRetry={retry} />
    </Page>
  );
}
