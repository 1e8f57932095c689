import { useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useBoot } from '../../data/boot.ts';
import { useFreshness } from '../../data/events.ts';
import { type Gathered, gatherDropped } from '../../data/uploads/gathered.ts';
import { may } from '../../meta/permissions.ts';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { type Chosen, NONE } from './chosen.ts';
import type { FileActions, FileQuestion } from './file-actions.ts';
import { moveTo, refreshFiles } from './file-data.ts';
import { isWithin } from './file-item.ts';
import { filesQuery, readFilesSearch } from './files-search.ts';
import { uploadInto } from './uploads.ts';

/** The state of the file browser and what it can do: the address, the selection, uploads and moves. */
export function useFiles() {
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
  return {
    search,
    query,
    chosen,
    setChosen,
    question,
    setQuestion,
    actions,
    isPrivate,
    setPrivate,
    setSearch,
    upload,
    forget,
  };
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
