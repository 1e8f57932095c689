import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { DesignState, DesignStore } from './design-store.ts';
import { changed, type Draft, type DraftField, isOn, type Raw, textOf } from './draft.ts';
import { lockOf, lockWords } from './locks.ts';

/** Provided by the designer's screen. */
export const DesignContext = createContext<DesignStore | null>(null);

/** The designer around a component. */
export function useDesign(): DesignStore {
  const store = useContext(DesignContext);
  if (!store) throw new Error('used outside of a designer');
  return store;
}

/** A part of the designer's state. The component re-renders only when it is another value. */
export function useDesigned<T>(select: (state: DesignState) => T): T {
  const { state } = useDesign();
  return useSyncExternalStore(state.subscribe, () => select(state.get()));
}

/** A field as it is now. Components that show a value of it watch the value itself. */
export function fieldOf(store: DesignStore, key: string): DraftField | undefined {
  return store.draft.fields.find((field) => field.key === key);
}

/** A text of a field. The component re-renders only when this text changes. */
export function useFieldText(key: string, property: string): string {
  return useDesigned(({ draft }) => textOf(valuesOf(draft, key), property));
}

/** A flag of a field. */
export function useFieldFlag(key: string, property: string): boolean {
  return useDesigned(({ draft }) => isOn(valuesOf(draft, key), property));
}

function valuesOf({ fields }: Draft, key: string): Raw {
  return fields.find((field) => field.key === key)?.values ?? {};
}

/** Sets a property of a field. Typing in it is one step of undo. */
export function useSet(key: string, property: string): (value: unknown) => void {
  const store = useDesign();
  return useCallback(
    (value) => store.changeFields((fields) => changed(fields, key, property, value), `${key}.${property}`),
    [store, key, property],
  );
}

/** The reason why a property of a field cannot be changed; '' when it can. */
export function useFieldLock(key: string, property: string): string {
  const store = useDesign();
  const field = fieldOf(store, key);
  return field ? lockOf(store.design, field, property) : '';
}

/** The key of the selected field, or null. */
export function useSelected(): string | null {
  return useDesigned(({ selected }) => selected);
}

/** True if there is something to save. */
export function useDirty(): boolean {
  const store = useDesign();
  return useDesigned(() => store.isDirty);
}

/** The properties of the doctype itself. */
export function useProperties(): Raw {
  return useDesigned(({ draft }) => draft.properties);
}

/** The reason why a property of the doctype cannot be changed; '' when it can. */
export function useLock(property: string): string {
  const { design } = useDesign();
  return design?.locked.doctype[property] === undefined ? '' : lockWords(design);
}
