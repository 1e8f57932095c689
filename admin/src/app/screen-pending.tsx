import { t } from '../base/i18n.ts';
import { Skeleton } from '../widgets/feedback.tsx';
import { Hidden } from '../widgets/layout.tsx';
import css from './shell/shell.module.css';

/** Placeholder of a loading screen: the heading and the sheet that most screens have, as in the first paint. */
export function ScreenPending() {
  return (
    <div className={css['pending']} aria-busy="true">
      <Hidden>{t('Loading…')}</Hidden>
      <Skeleton height={26} width={160} />
      <div className={css['sheet']} />
    </div>
  );
}
