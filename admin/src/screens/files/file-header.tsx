import { t } from '../../base/i18n.ts';
import { Icon } from '../../widgets/icon.tsx';
import css from './file-browser.module.css';
import type { FilesSearch, SortField } from './files-search.ts';

interface FileHeaderProps {
  readonly sort: FilesSearch['sort'];
  readonly onSort: (sort: FilesSearch['sort']) => void;
  readonly hasFolder: boolean;
}

/** Column headers. A click sorts by the column, a second click reverses the order. */
export function FileHeader({ sort, onSort, hasFolder }: FileHeaderProps) {
  const head = (field: SortField, label: string, className?: string) => {
    const isSorted = sort.field === field;
    return (
      <button
        type="button"
        className={className ? `${css['headButton']} ${className}` : css['headButton']}
        aria-pressed={isSorted}
        aria-label={
          isSorted
            ? sort.isDown
              ? t('{column}, sorted descending', { column: label })
              : t('{column}, sorted ascending', { column: label })
            : t('Sort by {column}', { column: label })
        }
        onClick={() =>
          onSort({ field, isDown: isSorted ? !sort.isDown : field === 'modified' || field === 'file_size' })
        }
      >
        {label}
        {isSorted && <Icon name={sort.isDown ? 'down' : 'up'} size={12} />}
      </button>
    );
  };
  return (
    <fieldset className={css['head']} aria-label={t('Order')} data-with-folder={hasFolder || undefined}>
      <span />
      {head('file_name', t('Name'))}
      {head('file_size', t('Size'), css['headEnd'])}
      <span className={css['headText']}>{t('Access')}</span>
      <span className={css['headText']}>{hasFolder ? t('Folder') : t('Attached to')}</span>
      {head('modified', t('Modified'))}
    </fieldset>
  );
}
