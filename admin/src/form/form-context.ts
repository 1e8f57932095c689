import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Store } from '../base/store.ts';
import type { BootUser } from '../data/boot.ts';
import type { Meta } from '../meta/meta.ts';
import type { DocStore } from './doc-store.ts';

/** A document's form, as its parts know it. What changes with each key press is in the store. */
export interface Form {
  readonly store: DocStore;
  readonly meta: Meta;
  /** Doctypes of the tables, by name. */
  readonly children: ReadonlyMap<string, Meta>;
  /** Null while the document is not stored. */
  readonly docname: string | null;
  readonly docstatus: number;
  /** Whether the user may change the document at all. */
  readonly canWrite: boolean;
  readonly user: BootUser;
  /** A field to be shown and to get the focus: a path, and a number that makes twice the same two wishes. */
  readonly wish: Store<Wish | null>;
}

/** A place in the form that somebody wants to go to. */
export interface Wish {
  readonly path: string;
  readonly at: number;
}

/** Provided by `RecordForm`. */
export const FormContext = createContext<Form | null>(null);

/** The form around a component. */
export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error('used outside of a form');
  return form;
}

/** The value at a path; the component renders again when it changes, and for nothing else. */
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

/** Whether the form has unsaved changes. */
export function useDirty(store: DocStore): boolean {
  const subscribe = useCallback((listener: () => void) => store.subscribe('', listener), [store]);
  return useSyncExternalStore(subscribe, () => store.isDirty);
}

let wishes = 0;

/** Goes to a field: opens its tab and section, and puts the focus into it. */
export function goToField(form: Pick<Form, 'wish'>, path: string): void {
  wishes += 1;
  form.wish.set({ path, at: wishes });
}
