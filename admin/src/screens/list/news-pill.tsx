import { t, tn } from '../../base/i18n.ts';
import { isSilent, type ListNews } from '../../grid/list-news.ts';
import { Icon } from '../../widgets/icon.tsx';
import css from './list-screen.module.css';

/** Tells what others changed, above the rows; pressing it shows the list as it is now. */
export function NewsPill({ news, onShow }: { readonly news: ListNews; readonly onShow: () => void }) {
  const { added, moved, gone, isUnknown } = news;
  const said = [
    added.size > 0 && tn(added.size, '{count} new', '{count} new'),
    moved.size > 0 && tn(moved.size, '{count} updated', '{count} updated'),
    gone.size > 0 && tn(gone.size, '{count} removed', '{count} removed'),
  ].filter(Boolean);
  return (
    <div role="status" className={css['news']}>
      {!isSilent(news) && (
        <button type="button" className={css['pill']} onClick={onShow}>
          <Icon name="refresh" size={14} />
          {isUnknown ? t('Records changed') : said.join(' · ')}
        </button>
      )}
    </div>
  );
}
