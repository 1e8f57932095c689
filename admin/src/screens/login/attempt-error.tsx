import { t, tn } from '../../base/i18n.ts';
import { isApiError } from '../../data/api-error.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import type { Attempt } from './use-attempt.ts';

/** Shows why a sign-in failed. */
export function AttemptError({ attempt: { error, wait } }: { readonly attempt: Attempt }) {
  if (error === null) return null;
  if (isApiError(error) && error.status === 429)
    return (
      <Alert tone="warning" title={t('Too many attempts')}>
        {wait > 0
          ? tn(wait, 'You can try again in {count} second.', 'You can try again in {count} seconds.')
          : t('You can try again now.')}
      </Alert>
    );
  if (isApiError(error) && error.status === 401)
    return (
      <Alert tone="danger" title={t('Not signed in')}>
        {error.messages.map((message) => (
          <div key={message}>{t(message)}</div>
        ))}
      </Alert>
    );
  return <ErrorPanel error={error} />;
}
