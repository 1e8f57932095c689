import { createContext, use, useSyncExternalStore } from 'react';
import { createStore, type Store } from '../../base/store.ts';
import type { Preview } from '../../data/webhooks.ts';
import { type Draft, type DraftStore, placeOf, useDraftValue } from './webhook-draft.ts';

/** Shared state of the editor's parts. It is in stores to limit re-rendering. */
export interface EditorState {
  readonly draft: DraftStore;
  /** Problems that the server reports for the draft. */
  readonly problems: Store<readonly string[]>;
  /** True after the first attempt to save. From then on, missing values are shown as errors. */
  readonly isTried: Store<boolean>;
  /** The last successful preview. */
  readonly preview: Store<Preview | null>;
  /** True for a stored webhook, some of whose values cannot change. */
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

/** A value of the draft, its setter and its error. */
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

/** True if the problem is only a missing value. */
export function isMissing(problem: string): boolean {
  return / is required$/.test(problem);
}
