import { useEffect, useRef } from 'react';
import { useStore } from '../base/store.ts';
import type { Holder } from './field-state.ts';
import { focusWhenThere } from './focus-field.ts';
import { useForm } from './form-context.ts';

/**
 * Handles requests to go to a field: `open` reveals it, then it gets the focus. Returns the last requested
 * field.
 */
export function useWishes(holder: Holder, open: (fieldname: string) => void): string | null {
  const form = useForm();
  const wish = useStore(form.wish);
  const latest = useRef(open);
  latest.current = open;
  const rest = wish?.path.startsWith(holder.prefix) ? wish.path.slice(holder.prefix.length) : '';
  const fieldname = /^[^[.]+/.exec(rest)?.[0] ?? null;
  const at = wish?.at ?? 0;
  useEffect(() => {
    if (fieldname === null || at === 0) return;
    latest.current(fieldname);
    return focusWhenThere(`${holder.prefix}${fieldname}`);
  }, [fieldname, at, holder.prefix]);
  return fieldname;
}
