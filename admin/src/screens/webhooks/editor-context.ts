import { createContext, use, useSyncExternalStore } from 'react';
import { createStore, type Store } from '../../base/store.ts';
import type { Preview } from '../../data/webhooks.ts';
import { type Draft, type DraftStore, placeOf, useDraftValue } from './webhook-draft.ts';

/** Shared state of the editor's parts, in stores to limit re-rendering. */
export interface EditorState {
  readonly draft: DraftStore;
  /** Problems that the server reports for the draft. */
  readonly problems: Store<readonly string[]>;
  /** Somebody tried to save: what is missing is shown from then on. */
  readonly isTried: Store<boolean>;
  /** The last preview that could be made. */
  readonly preview: Store<Preview | null>;
  /** Stored already: some things are settled then. */
  readonly isStored: boolean;
}

export function makeEditor(draft: DraftStore, isStored: boolean): EditorState {
  return {
    draft,
    isStored,
    problems: createStore<readonly string[]>([]),
    isTried: createStore(false),
    preview: createStore<Preview | null>(null),
  };
}

export const EditorContext = createContext<EditorState | null>(null);

export function useEditor(): EditorState {
  const editor = use(EditorContext);
  if (!editor) throw new Error('a part of the editor stands outside of it');
  return editor;
}

/** A value of the draft, how to change it, and what is wrong with it. */
export function useEdited<K extends keyof Draft>(name: K) {
  const editor = useEditor();
  const [value, onChange] = useDraftValue(editor.draft, name);
  const error = useProblem(name);
  return { value, onChange, error };
}

/** The error of a part of the draft. */
export function useProblem(name: keyof Draft): string | undefined {
  const { problems, isTried } = useEditor();
  const isShown = useSyncExternalStore(isTried.subscribe, isTried.get);
  return useSyncExternalStore(problems.subscribe, () =>
    problems.get().find((one) => placeOf(one) === name && (isShown || !isMissing(one))),
  );
}

/** Nothing is wrong but that something is not there yet. */
export function isMissing(problem: string): boolean {
  return / is required$/.test(problem);
}
