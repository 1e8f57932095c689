import { type DragEvent, useState, useSyncExternalStore } from 'react';
import { createStore } from '../../base/store.ts';
import type { FileItem } from './file-item.ts';
import { addressOfFile, isStored } from './file-item.ts';

/** MIME type of dragged rows: a JSON list of File names. Other sites cannot read it. */
const TYPE = 'application/x-chancery-files';

/** Starts a drag of files and folders. */
export function startDrag(event: DragEvent, items: readonly FileItem[]): void {
  const { dataTransfer } = event;
  dataTransfer.effectAllowed = 'copyMove';
  dataTransfer.setData(TYPE, JSON.stringify(items.map(({ name }) => name)));
  const addresses = items.flatMap(({ url }) =>
    isStored(url) ? [new URL(addressOfFile(url), location.origin).href] : [],
  );
  if (addresses.length > 0) dataTransfer.setData('text/uri-list', addresses.join('\r\n'));
}

/** Drop handlers of a target. */
export interface DropActions {
  readonly onFiles: (transfer: DataTransfer) => void;
  readonly onMove: (names: readonly string[]) => void;
}

/** The hovered drop target. Of nested targets, only the innermost one counts. */
const hovered = createStore<symbol | null>(null);

/** A drop target for local files and for rows of the list. `isOver` is true while a drag hovers over it. */
export function useDropTarget({ onFiles, onMove }: DropActions, isOn = true) {
  const [me] = useState(() => Symbol('place'));
  const isOver = useSyncExternalStore(hovered.subscribe, () => hovered.get() === me);
  if (!isOn) return { isOver: false, handlers: {} };
  const handlers = {
    onDragOver: (event: DragEvent) => {
      const effect = effectOf(event.dataTransfer);
      if (effect === null) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = effect;
      hovered.set(me);
    },
    onDragLeave: (event: DragEvent) => {
      const to = event.relatedTarget;
      const isGone = !(to instanceof Node) || !event.currentTarget.contains(to);
      if (isGone && hovered.get() === me) hovered.set(null);
    },
    onDrop: (event: DragEvent) => {
      hovered.set(null);
      if (effectOf(event.dataTransfer) === null) return;
      event.preventDefault();
      event.stopPropagation();
      const names = namesOf(event.dataTransfer);
      if (names.length > 0) onMove(names);
      else onFiles(event.dataTransfer);
    },
  };
  return { isOver, handlers };
}

function effectOf({ types }: DataTransfer): 'copy' | 'move' | null {
  if (types.includes(TYPE)) return 'move';
  return types.includes('Files') ? 'copy' : null;
}

function namesOf(transfer: DataTransfer): readonly string[] {
  try {
    const names: unknown = JSON.parse(transfer.getData(TYPE) || '[]');
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}
