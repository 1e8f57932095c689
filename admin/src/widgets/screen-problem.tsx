import type { Crumb } from '../base/crumbs.ts';
import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { isApiError } from '../data/api-error.ts';
import { ErrorPanel } from './error-panel.tsx';
import { Stack } from './layout.tsx';
import { Page } from './page.tsx';
import { ProblemPage } from './problem-page.tsx';

interface ScreenProblemProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  /** The name of what the screen shows. */
  readonly title?: string;
  readonly trail?: readonly Crumb[];
}

/** The whole screen when its content could not be read: why, and the way on. */
export function ScreenProblem({ error, onRetry, title, trail = [] }: ScreenProblemProps) {
  const status = isApiError(error) ? error.status : null;
  if (status === 403) return <NotPermitted />;
  if (status === 404) return <NotFound {...{ title, trail }} />;
  return (
    <Page title={title ?? t('Page unavailable')} trail={trail}>
      <Stack>
        <ErrorPanel error={error} onRetry={onRetry} />
        <span>
          <PathLink to={paths.home()}>{t('Go to Home')}</PathLink>
        </span>
      </Stack>
    </Page>
  );
}

/** The screen for an address that the user's roles do not open. */
export function NotPermitted() {
  return (
    <ProblemPage icon="lock" title={t('You have no access to this page')}>
      {t('Ask an administrator for a role that includes it.')}
    </ProblemPage>
  );
}

/** The screen for an unknown address. The way on is the screen above it. */
export function NotFound({ title, trail = [] }: Pick<ScreenProblemProps, 'title' | 'trail'>) {
  const above = trail.findLast(({ path }) => path !== undefined);
  const label = above && t('Back to {doctype}', { doctype: above.label });
  return (
    <ProblemPage
      icon="search"
      title={title === undefined ? t('Page not found') : t('{name} not found', { name: title })}
      trail={trail}
      to={above?.path}
      label={label}
    >
      {t('It was moved or deleted, or the address is wrong.')}
    </ProblemPage>
  );
}
