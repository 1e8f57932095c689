import { t } from '../../base/i18n.ts';
import css from './permissions.module.css';

/** What the marks of the matrix mean. */
export function Legend() {
  return (
    <div className={css['legend']}>
      <span>
        <span className={css['box']} data-differs="more" aria-hidden />
        {t('Added on this site')}
      </span>
      <span>
        <span className={css['box']} data-differs="less" aria-hidden />
        {t('Removed on this site')}
      </span>
      <span>
        <span className={css['box']} data-changed="" aria-hidden />
        {t('Not saved')}
      </span>
    </div>
  );
}
