import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import {
  type CreateNew,
  CreateNewContext,
  type SearchAll,
  SearchAllContext,
} from '../widgets/fields/create-new.ts';
import { CreateDrawer } from './create-drawer.tsx';
import type { TableProps } from './table-slot.ts';

// Loaded lazily, because few links need it.
const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.tsx')).SearchDialog }));

interface Wanted {
  readonly what: 'create' | 'search';
  readonly doctype: string;
  readonly text: string;
  readonly filters: unknown;
  readonly resolve: (name: string | null) => void;
}

interface LinkDialogsProps {
  readonly Table?: ComponentType<TableProps>;
  readonly children: ReactNode;
}

/** Lets Link fields create their target document in a drawer over the form, and search it in a dialog. */
export function LinkDialogs({ Table, children }: LinkDialogsProps) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const create = useCallback<CreateNew>(
    (doctype, text) =>
      new Promise((resolve) => setWanted({ what: 'create', doctype, text, filters: null, resolve })),
    [],
  );
  const search = useCallback<SearchAll>(
    (doctype, text, filters) =>
      new Promise((resolve) => setWanted({ what: 'search', doctype, text, filters, resolve })),
    [],
  );
  const close = (name: string | null) => {
    wanted?.resolve(name);
    setWanted(null);
  };
  return (
    <CreateNewContext.Provider value={create}>
      <SearchAllContext.Provider value={search}>
        {children}
        {wanted?.what === 'create' && (
          <CreateDrawer
            doctype={wanted.doctype}
            text={wanted.text}
            Table={Table}
            onDone={close}
            around={(form) => <LinkDialogs Table={Table}>{form}</LinkDialogs>}
          />
        )}
        {wanted?.what === 'search' && (
          <Suspense fallback={null}>
            <SearchDialog
              doctype={wanted.doctype}
              text={wanted.text}
              filters={wanted.filters}
              onDone={close}
            />
          </Suspense>
        )}
      </SearchAllContext.Provider>
    </CreateNewContext.Provider>
  );
}
