import { t } from '../../base/i18n.ts';

/** Who may read a file. */
export function accessWords(isPrivate: boolean): string {
  return isPrivate
    ? t('Private: only users with permission can read it')
    : t('Public: anyone with the link can read it');
}
