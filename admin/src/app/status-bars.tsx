import { t } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { Button } from '../widgets/button.tsx';
import { Icon } from '../widgets/icon.tsx';
import { newVersion } from './new-version.ts';
import { useIsOnline } from './online.ts';
import css from './shell/shell.module.css';

/** Bars for the whole page: no network, or a newer version of the UI. */
export function StatusBars() {
  const isOnline = useIsOnline();
  const isOld = useStore(newVersion);
  return (
    <>
      {!isOnline && (
        <div role="status" className={css['bar']}>
          <Icon name="alert" />
          {t('You are offline. Data may be out of date. You can save when you are back online.')}
        </div>
      )}
      {isOld && (
        <div role="status" className={css['bar']}>
          <Icon name="refresh" />
          {t('A new version is available.')}
          <Button onClick={() => location.reload()}>{t('Reload')}</Button>
        </div>
      )}
    </>
  );
}
