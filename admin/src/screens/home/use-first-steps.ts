import { useQuery } from '@tanstack/react-query';
import { ownDoctypes } from '../../base/opened.ts';
import { createStore, useStore } from '../../base/store.ts';
import { useBoot, useUser } from '../../data/boot.ts';
import { type ListQuery, listRows } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { may } from '../../meta/permissions.ts';

/** The steps, in their order. */
export const STEPS = ['signIn', 'doctype', 'key', 'webhook'] as const;
export type StepName = (typeof STEPS)[number];

/** Labels of the keys that the server makes when it starts. */
const SERVER_KEYS = ['first start', 'CHANCERY_ADMIN_API_KEY'];

const STORED = 'chancery.first-steps';
const isClosed = createStore(localStorage.getItem(STORED) === 'closed');

/** Closes the list of first steps on this device. */
export function closeFirstSteps(): void {
  localStorage.setItem(STORED, 'closed');
  isClosed.set(true);
}

/**
 * The first steps that are done on this site; null for those who cannot take them, while this is not known,
 * after the last step, and after the list was closed.
 */
export function useFirstSteps(): ReadonlySet<StepName> | null {
  const boot = useBoot();
  const { isSystemManager } = useUser();
  const isOff = useStore(isClosed) || !isSystemManager || !may('DocType', 'create');
  useFreshness(isOff ? [] : ['API Key', 'Webhook']);
  const key = useExists('API Key', { filters: [['label', 'not in', SERVER_KEYS]] }, !isOff);
  const webhook = useExists('Webhook', {}, !isOff);
  if (isOff || key === undefined || webhook === undefined) return null;
  const done: Readonly<Record<StepName, boolean>> = {
    signIn: true,
    doctype: ownDoctypes([...boot.doctypes.values()]).length > 0,
    key,
    webhook,
  };
  const names = STEPS.filter((name) => done[name]);
  return names.length === STEPS.length ? null : new Set(names);
}

// True if there is a document; undefined while that is not known.
function useExists(doctype: string, more: ListQuery, isOn: boolean): boolean | undefined {
  const query = { fields: ['name'], limit_page_length: 1, ...more };
  const { data } = useQuery({
    queryKey: keys.list(doctype, query),
    queryFn: ({ signal }) => listRows(doctype, query, { signal }),
    enabled: isOn,
  });
  return data === undefined ? undefined : data.length > 0;
}
