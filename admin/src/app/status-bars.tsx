import { t } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { Button } from '../widgets/button.tsx';
import { Icon } from '../widgets/icon.tsx';
import { newVersion } from './new-version.ts';
import { useIsOnline } from './online.ts';
import css from './shell/shell.module.css';

/** What concerns the whole page: no network, or a newer UI than this. */
export function StatusBars() {
  const isOnline = useIsOnline();
  const isOld = useStore(newVersion);
  return (
    <>
      {!isOnline && (
        <div role="status" className={css['bar']}>
          <Icon name="alert" />
          {t(
            'You are offline. What you see may be old, and nothing can be saved until the connection is back.',
          )}
        </div>
      )}
      {isOld && (
        <div role="status" className={css['bar']}>
          <Icon name="refresh" />
          {t('The server has a new version of this page.')}
          <Button onClick={() => location.reload()}>{t('Reload')}</Button>
        </div>
      )}
    </>
  );
}
