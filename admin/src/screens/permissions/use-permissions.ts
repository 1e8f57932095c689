import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { createStore, useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import type { RightName } from '../../data/boot.ts';
import { type Permissions, permissionsQuery, saveChanges } from './permission-data.ts';
import {
  byKey,
  changesOf,
  type Draft,
  keyOf,
  type PermissionRow,
  type Place,
  type RowChange,
  restored,
  reversed,
  rightsAt,
  withRight,
  withRow,
} from './permission-rows.ts';

/** The matrix with its unsaved changes. */
export interface Matrix extends Permissions {
  readonly stored: ReadonlyMap<string, PermissionRow>;
  readonly shipped: ReadonlyMap<string, PermissionRow>;
  readonly draft: Draft;
  readonly changes: readonly RowChange[];
  /** The changes of the last save, while they can be undone. */
  readonly lastSave: readonly RowChange[] | null;
  rightsOf(place: Place): ReadonlySet<RightName>;
  set(place: Place, right: RightName, isOn: boolean): void;
  setRow(row: PermissionRow): void;
  restore(doctype: string): void;
  discard(): void;
  save(): Promise<void>;
  undo(): Promise<void>;
}

/** Kept outside the screen, so that the undo survives a visit to another one. */
const lastSaved = createStore<readonly RowChange[] | null>(null);
const NOTHING: Draft = new Map();

/** The permissions of the site and the changes to them; null while they load. */
export function usePermissions() {
  const { data, error, refetch } = useQuery(permissionsQuery);
  const [draft, setDraft] = useState<Draft>(NOTHING);
  const lastSave = useStore(lastSaved);
  const stored = useMemo(() => byKey(data?.doctypes.flatMap(({ rows }) => rows) ?? []), [data]);
  const shipped = useMemo(() => byKey(data?.doctypes.flatMap((one) => one.shipped) ?? []), [data]);
  const changes = useMemo(() => changesOf(draft, stored), [draft, stored]);
  const rightsOf = (place: Place) => rightsAt(draft.has(keyOf(place)) ? draft : stored, place);
  const setRow = (row: PermissionRow) => setDraft((before) => withRow(before, stored, row));
  const matrix: Matrix | null = data
    ? {
        ...data,
        stored,
        shipped,
        draft,
        changes,
        lastSave,
        rightsOf,
        setRow,
        set: (place, right, isOn) => setRow({ ...place, rights: withRight(rightsOf(place), right, isOn) }),
        restore: (doctype) => {
          const of = data.doctypes.find(({ name }) => name === doctype);
          if (of) setDraft((before) => restored(before, stored, of.shipped, doctype));
        },
        discard: () => setDraft(NOTHING),
        async save() {
          await saveChanges(changes);
          lastSaved.set(changes);
          setDraft(NOTHING);
          toast('success', tn(changes.length, '{count} change saved', '{count} changes saved'));
        },
        async undo() {
          if (!lastSave) return;
          await saveChanges(reversed(lastSave));
          lastSaved.set(null);
          toast('success', t('The last save is undone'));
        },
      }
    : null;
  return { matrix, error, retry: () => void refetch() };
}
