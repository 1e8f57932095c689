import { useLayoutEffect, useRef } from 'react';
import { isShown } from '../meta/depends-on.ts';
import { isLayout } from '../meta/fieldtypes.ts';
import { isLevelOpen } from '../meta/permissions.ts';
import { isUnset } from './doc-values.ts';
import { scopeOf } from './field-state.ts';
import { focusField } from './focus-field.ts';
import type { Form } from './form-context.ts';

/**
 * In a new document, focuses the first field that a user fills in: one without a default. Not where the focus
 * would open an on-screen keyboard. It happens with the first render, so that it takes the focus from nobody.
 */
export function useFirstField(form: Form, isOn: boolean): void {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    if (!isOn || form.docname !== null || matchMedia('(pointer: coarse)').matches) return;
    const path = firstField(form);
    if (path !== null) focusField(path);
  }, [form, isOn]);
}

function firstField(form: Form): string | null {
  const { meta, store, user } = form;
  if (/^prompt/i.test(meta.autoname) && isUnset(store.get('name'))) return 'name';
  const scope = scopeOf(form, '');
  const found = meta.fields.find(
    (field) =>
      !isLayout(field.fieldtype) &&
      !field.read_only &&
      field.fieldtype !== 'Check' &&
      isUnset(store.get(field.fieldname)) &&
      isShown(field, scope) &&
      isLevelOpen(meta, field.permlevel, 'write', user),
  );
  return found?.fieldname ?? null;
}
