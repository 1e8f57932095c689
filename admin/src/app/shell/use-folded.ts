import { createKept } from '../../base/kept.ts';
import { useStore } from '../../base/store.ts';

/** Groups of the sidebar that the user has opened (true) or closed on this device. */
const folds = createKept<Readonly<Record<string, boolean>>>('chancery.sidebarGroups', {}, (stored) =>
  typeof stored === 'object' && stored !== null ? (stored as Record<string, boolean>) : null,
);

/** Whether a group of the sidebar is open, and the function that changes it. */
export function useFolded(id: string, isOpenAtFirst: boolean): readonly [boolean, () => void] {
  const isOpen = useStore(folds)[id] ?? isOpenAtFirst;
  return [isOpen, () => folds.set({ ...folds.get(), [id]: !isOpen })];
}
