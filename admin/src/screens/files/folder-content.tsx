import { useRef } from 'react';
import { t } from '../../base/i18n.ts';
import type { useSetSearch } from '../../base/navigation.tsx';
import type { ListQuery } from '../../data/documents.ts';
import { eachPage } from '../../grid/list-requests.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { SearchBox } from '../../widgets/search-box.tsx';
import type { Chosen } from './chosen.ts';
import { useDropTarget } from './dragged.ts';
import { useFileActions } from './file-actions.ts';
import { FileBrowser } from './file-browser.tsx';
import { type FileItem, itemOf, parentOf } from './file-item.ts';
import css from './files.module.css';
import { type FilesSearch, sortParameter } from './files-search.ts';
import { FolderPath } from './folder-path.tsx';
import { SelectionBar } from './selection-bar.tsx';

interface FolderContentProps {
  readonly search: FilesSearch;
  readonly query: ListQuery;
  readonly chosen: Chosen;
  readonly onChosen: (next: Chosen | ((before: Chosen) => Chosen)) => void;
  readonly onAll: (items: readonly FileItem[]) => void;
  readonly onSearch: ReturnType<typeof useSetSearch>;
}

/** Maximum files that "select all" selects. */
const MOST_CHOSEN = 10_000;

/** The current folder or the search results: path, selection bar and items. */
export function FolderContent({ search, query, chosen, onChosen, onAll, onSearch }: FolderContentProps) {
  const actions = useFileActions();
  const { folder, text } = search;
  const { isOver, handlers } = useDropTarget(
    {
      onFiles: (transfer) => actions.upload(folder, transfer),
      onMove: () => undefined,
    },
    actions.canCreate && text === '',
  );
  const gathering = useRef<AbortController | null>(null);
  const chooseAll = async (): Promise<readonly FileItem[]> => {
    gathering.current?.abort();
    gathering.current = new AbortController();
    const { signal } = gathering.current;
    const items: FileItem[] = [];
    try {
      for await (const rows of eachPage('File', query, 1_000, signal)) {
        items.push(...rows.map(itemOf));
        if (items.length >= MOST_CHOSEN) break;
      }
    } catch (error) {
      if (!signal.aborted) tellFailure(error);
      return [];
    }
    const all = items.slice(0, MOST_CHOSEN);
    onAll(all);
    return all;
  };
  return (
    <section className={css['main']} aria-label={text === '' ? folder : t('Search results')} {...handlers}>
      <div className={css['bar']}>
        {chosen.size > 0 ? (
          <SelectionBar chosen={chosen} onChosen={onChosen} onAll={() => void chooseAll()} />
        ) : (
          <>
            <FolderPath folder={folder} isSearch={text !== ''} />
            <div className={css['search']}>
              <SearchBox
                scope="files"
                label={t('Search files')}
                placeholder={t('Search all folders')}
                value={text}
                onChange={(next) => onSearch({ q: next || undefined })}
              />
            </div>
          </>
        )}
      </div>
      <FileBrowser
        key={search.view}
        label={text === '' ? t('Files in {folder}', { folder }) : t('Search results')}
        query={query}
        search={search}
        chosen={chosen}
        onChosen={onChosen}
        onChooseAll={chooseAll}
        onSort={(sort) => onSearch({ sort: sortParameter(sort) })}
        onUp={() => {
          const parent = parentOf(folder);
          if (text === '' && parent !== null) actions.goTo(parent);
        }}
        whenEmpty={<Empty search={search} />}
      />
      {isOver && (
        <div className={css['drop']} aria-hidden>
          <Icon name="upload" size={28} />
          {t('Drop files and folders to upload them to {folder}', { folder })}
        </div>
      )}
    </section>
  );
}

function Empty({ search: { folder, text } }: { readonly search: FilesSearch }) {
  const { ask, canCreate, goTo } = useFileActions();
  if (text !== '') {
    return (
      <EmptyState
        icon="search"
        title={t('No matching files or folders')}
        action={<Button onClick={() => goTo(folder)}>{t('Back to the folder')}</Button>}
      >
        {t('Search covers file names in all folders.')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="folder"
      title={t('This folder is empty')}
      action={
        canCreate && <Button onClick={() => ask({ kind: 'new folder', folder })}>{t('New folder')}</Button>
      }
    >
      {canCreate ? t('Drop files and folders here, or press Upload.') : t('You cannot read any files here.')}
    </EmptyState>
  );
}
