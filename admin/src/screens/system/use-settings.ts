import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';
import { readDocument, updateDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { type Setting, systemQuery } from '../../data/system.ts';
import { may } from '../../meta/permissions.ts';

const NAME = 'System Settings';

/** A value of a field of System Settings, as its control shows it. */
export type FieldText = string | number;

/** All settings, and unsaved changes of System Settings. */
export function useSettings() {
  const client = useQueryClient();
  const settings = useQuery(systemQuery<readonly Setting[]>('settings', {}, false));
  const stored = useQuery({
    queryKey: keys.doc(NAME, NAME),
    queryFn: ({ signal }) => readDocument(NAME, NAME, { signal }),
  });
  const [changes, setChanges] = useState<Readonly<Record<string, FieldText>>>({});
  const task = useTask();
  const isDirty = Object.keys(changes).length > 0;
  const storedValue = (fieldname: string): FieldText => {
    const value = stored.data?.doc[fieldname];
    return typeof value === 'number' || typeof value === 'string' ? value : '';
  };
  const change = (fieldname: string, value: FieldText) => {
    const { [fieldname]: _former, ...others } = changes;
    setChanges(isSame(value, storedValue(fieldname)) ? others : { ...others, [fieldname]: value });
  };
  const save = () =>
    task.run(async () => {
      await updateDocument(NAME, NAME, changes, { etag: stored.data?.etag });
      await Promise.all([stored.refetch(), settings.refetch()]);
      setChanges({});
      toast('success', t('Settings saved'));
      void client.invalidateQueries({ queryKey: keys.lists(NAME) });
    });
  const discard = () => {
    setChanges({});
    task.forget();
    if (isApiError(task.error) && task.error.status === 412) void stored.refetch();
  };
  return {
    settings: settings.data,
    error: settings.error ?? stored.error,
    isLoading: !settings.data || !stored.data,
    retry: () => void Promise.all([settings.refetch(), stored.refetch()]),
    mayWrite: may(NAME, 'write'),
    valueOf: (fieldname: string): FieldText => changes[fieldname] ?? storedValue(fieldname),
    changed: new Set(Object.keys(changes)),
    change,
    save,
    discard,
    task,
    held: useLeaveGuard(isDirty),
  };
}

// 0 and an empty text both leave the configuration in force.
function isSame(one: FieldText, other: FieldText): boolean {
  return (one === 0 ? '' : one) === (other === 0 ? '' : other);
}
