import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Store } from '../base/store.ts';
import type { BootUser } from '../data/boot.ts';
import type { Meta } from '../meta/meta.ts';
import type { DocStore } from './doc-store.ts';

/**
 * Context of a document's form. It changes rarely; the store holds the values that change with each key
 * press.
 */
export interface Form {
  readonly store: DocStore;
  readonly meta: Meta;
  /** Doctypes of the table fields' rows, by name. */
  readonly children: ReadonlyMap<string, Meta>;
  /** Null for a new document. */
  readonly docname: string | null;
  readonly docstatus: number;
  /** True if the user may change the document at all. */
  readonly canWrite: boolean;
  readonly user: BootUser;
  /** The last request to go to a field. Its number makes two equal requests differ. */
  readonly wish: Store<Wish | null>;
}

/** A request to go to a field. */
export interface Wish {
  readonly path: string;
  readonly at: number;
}

/** Provided by `RecordForm`. */
export const FormContext = createContext<Form | null>(null);

/** The form that surrounds a component. */
export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error('used outside of a form');
  return form;
}

/** The value at a path. The component re-renders only when it changes. */
export function useValue(path: string): unknown {
  const { store } = useForm();
  const subscribe = useCallback((listener: () => void) => store.subscribe(path, listener), [store, path]);
  return useSyncExternalStore(subscribe, () => store.get(path));
}

/** The error at a path, or null. */
export function useFieldError(path: string): string | null {
  const { store } = useForm();
  const subscribe = useCallback((listener: () => void) => store.subscribeErrors(listener), [store]);
  return useSyncExternalStore(subscribe, () => store.errorAt(path));
}

/** True if the form has unsaved changes. */
export function useDirty(store: DocStore): boolean {
  const subscribe = useCallback((listener: () => void) => store.subscribe('', listener), [store]);
  return useSyncExternalStore(subscribe, () => store.isDirty);
}

let wishes = 0;

/** Goes to a field: opens its tab and section and focuses it. */
export function goToField(form: Pick<Form, 'wish'>, path: string): void {
  wishes += 1;
  form.wish.set({ path, at: wishes });
}
