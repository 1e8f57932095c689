import { useDesign, useLock, useProperties } from './designer-context.ts';
import { isOn, textOf, withValue } from './draft.ts';

/** A property of the doctype itself, and the way to change it. */
export interface DoctypeProperty {
  readonly text: string;
  readonly isOn: boolean;
  /** The reason why it cannot be changed; '' when it can. */
  readonly lock: string;
  readonly set: (value: unknown) => void;
}

export function useProperty(name: string): DoctypeProperty {
  const store = useDesign();
  const properties = useProperties();
  const set = (value: unknown) =>
    store.change(
      (draft) => ({ ...draft, properties: withValue(draft.properties, name, value) }),
      `doctype.${name}`,
    );
  return { text: textOf(properties, name), isOn: isOn(properties, name), lock: useLock(name), set };
}
