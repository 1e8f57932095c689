import { t } from '../base/i18n.ts';
import { ProblemPage } from '../widgets/problem-page.tsx';

/** The screen for an address that the user's roles do not open. */
export function NotPermitted() {
  return (
    <ProblemPage icon="lock" title={t('You have no access to this page')}>
      {t('Ask an administrator for a role that includes it.')}
    </ProblemPage>
  );
}
