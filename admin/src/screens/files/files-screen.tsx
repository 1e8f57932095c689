import { useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useBoot } from '../../data/boot.ts';
import { useFreshness } from '../../data/events.ts';
import { type Gathered, gatherChosen, gatherDropped } from '../../data/uploads/gathered.ts';
import { may } from '../../meta/permissions.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Page } from '../../widgets/page.tsx';
import { type Chosen, choosing, NONE } from './chosen.ts';
import { type FileActions, FileActionsContext, type FileQuestion } from './file-actions.ts';
import { moveTo, refreshFiles } from './file-data.ts';
import { FileDialogs } from './file-dialogs.tsx';
import { FileDrawer } from './file-drawer.tsx';
import { isWithin } from './file-item.ts';
import css from './files.module.css';
import { filesQuery, readFilesSearch } from './files-search.ts';
import { FolderContent } from './folder-content.tsx';
import { FolderTree } from './folder-tree.tsx';
import { HeadActions } from './head-actions.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { uploadInto } from './uploads.ts';
import { Usage } from './usage.tsx';

/** The file browser: folder tree, contents of the current folder, and the upload panel. */
export function Screen() {
  useFreshness(['File']);
  const search = useSearch(readFilesSearch);
  const setSearch = useSetSearch();
  const [isPrivate, setPrivate] = useState(useBoot().site.isPrivateByDefault);
  const [question, setQuestion] = useState<FileQuestion | null>(null);
  const { folder } = search;
  const [chosen, setChosen] = useChosen(JSON.stringify([folder, search.text]));
  const canCreate = may('File', 'create');

  const upload = (into: string, gathering: Gathered | Promise<Gathered>) => {
    Promise.resolve(gathering)
      .then((gathered) => uploadInto(into, gathered, isPrivate))
      .catch(tellFailure);
  };
  const goTo = (to: string) =>
    setSearch({ folder: to, q: undefined, open: undefined }, { isReplacing: false });
  const forget = (names: readonly string[]) => {
    setChosen((before) => new Map([...before].filter(([name]) => !names.includes(name))));
    if (search.open !== null && names.includes(search.open)) setSearch({ open: undefined });
  };
  const actions: FileActions = {
    goTo,
    open: (item) =>
      item.isFolder ? goTo(item.name) : setSearch({ open: item.name }, { isReplacing: false }),
    ask: setQuestion,
    upload: (into, transfer) => upload(into, gatherDropped(transfer)),
    move: (into, names) => {
      if (names.some((name) => isWithin(into, name))) return;
      moveTo(into, names)
        .then(() => {
          forget(names);
          toast('success', t('Moved to {folder}', { folder: into }));
          return refreshFiles();
        })
        .catch(tellFailure);
    },
    canCreate,
  };
  const query = useMemo(
    () => filesQuery({ folder, text: search.text, sort: search.sort }),
    [folder, search.text, search.sort],
  );
  useShortcut('files', 'n', t('New folder'), () => setQuestion({ kind: 'new folder', folder }), {
    isOn: canCreate,
  });
  useShortcut('files', 'v', t('List or tiles'), () =>
    setSearch({ view: search.view === 'grid' ? undefined : 'grid' }),
  );
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
            <FolderTree label={t('Folders')} current={search.text === '' ? folder : ''} onChoose={goTo} />
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

// The selection belongs to one folder. Another folder starts with an empty one.
function useChosen(place: string): [Chosen, (next: Chosen | ((before: Chosen) => Chosen)) => void] {
  const [held, setHeld] = useState({ place, chosen: NONE });
  const current = held.place === place ? held.chosen : NONE;
  const set = (next: Chosen | ((before: Chosen) => Chosen)) =>
    setHeld((before) => {
      const from = before.place === place ? before.chosen : NONE;
      return { place, chosen: typeof next === 'function' ? next(from) : next };
    });
  return [current, set];
}
