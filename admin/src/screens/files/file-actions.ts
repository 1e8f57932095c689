import { createContext, useContext } from 'react';
import type { FileItem } from './file-item.ts';

/** A dialog that asks for input or confirmation before an action. */
export type FileQuestion =
  | { readonly kind: 'new folder'; readonly folder: string }
  | { readonly kind: 'rename'; readonly item: FileItem }
  | { readonly kind: 'move' | 'delete'; readonly items: readonly FileItem[] }
  | { readonly kind: 'privacy'; readonly items: readonly FileItem[]; readonly isPrivate: boolean }
  | { readonly kind: 'link'; readonly item: FileItem };

/** Actions on files. */
export interface FileActions {
  /** Opens a folder, or shows a file's details. */
  readonly open: (item: FileItem) => void;
  readonly goTo: (folder: string) => void;
  readonly ask: (question: FileQuestion) => void;
  readonly move: (folder: string, names: readonly string[]) => void;
  readonly upload: (folder: string, transfer: DataTransfer) => void;
  /** True if the user may create files here. */
  readonly canCreate: boolean;
}

export const FileActionsContext = createContext<FileActions | null>(null);

/** The actions of the surrounding screen. */
export function useFileActions(): FileActions {
  const actions = useContext(FileActionsContext);
  if (!actions) throw new Error('files are shown outside of their screen');
  return actions;
}
