import { t } from '../../base/i18n.ts';
import { gatherChosen } from '../../data/uploads/gathered.ts';
import { Page } from '../../widgets/page.tsx';
import { choosing, NONE } from './chosen.ts';
import { FileActionsContext } from './file-actions.ts';
import { FileDialogs } from './file-dialogs.tsx';
import { FileDrawer } from './file-drawer.tsx';
import { isWithin } from './file-item.ts';
import css from './files.module.css';
import { FolderContent } from './folder-content.tsx';
import { FolderTree } from './folder-tree.tsx';
import { HeadActions } from './head-actions.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { Usage } from './usage.tsx';
import { useFiles } from './use-files.ts';

/** The file browser: folder tree, contents of the current folder, and the upload panel. */
export function Screen() {
  const { search, query, chosen, setChosen, question, setQuestion, actions, ...rest } = useFiles();
  const { isPrivate, setPrivate, setSearch, upload, forget } = rest;
  const { folder } = search;
  return (
    <FileActionsContext value={actions}>
      <Page
        title={t('Files')}
        actions={
          <HeadActions
            folder={folder}
            view={search.view}
            isPrivate={isPrivate}
            onPrivate={setPrivate}
            onChoose={(files) => upload(folder, gatherChosen(files))}
            onView={(view) => setSearch({ view: view === 'grid' ? view : undefined })}
          />
        }
      >
        <div className={css['layout']}>
          <aside className={css['side']} aria-label={t('Folders')}>
            <FolderTree
              label={t('Folders')}
              current={search.text === '' ? folder : ''}
              onChoose={actions.goTo}
            />
            <Usage />
          </aside>
          <FolderContent
            search={search}
            query={query}
            chosen={chosen}
            onChosen={setChosen}
            onAll={(items) => setChosen(choosing(NONE, items, true))}
            onSearch={setSearch}
          />
        </div>
      </Page>
      {search.open !== null && (
        <FileDrawer name={search.open} onClose={() => setSearch({ open: undefined })} />
      )}
      {question && (
        <FileDialogs
          question={question}
          onClose={() => setQuestion(null)}
          onGone={forget}
          onRenamed={(from, to) => {
            if (isWithin(folder, from)) setSearch({ folder: `${to}${folder.slice(from.length)}` });
            forget([from]);
          }}
        />
      )}
      <UploadPanel />
    </FileActionsContext>
  );
}
