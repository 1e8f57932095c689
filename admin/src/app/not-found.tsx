import { t } from '../base/i18n.ts';
import { ProblemPage } from '../widgets/problem-page.tsx';

/** The screen for an unknown address. */
export function NotFound() {
  return (
    <ProblemPage icon="search" title={t('Page not found')}>
      {t('It was moved or deleted, or the address is wrong.')}
    </ProblemPage>
  );
}
