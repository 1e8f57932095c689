import type { Doc } from '../data/documents.ts';
import { isLayout, isTable } from '../meta/fieldtypes.ts';
import type { Field, Meta } from '../meta/meta.ts';
import type { DocStore } from './doc-store.ts';
import { isRows, isSameValue, type Row } from './doc-values.ts';

/** A field that another user changed during editing. */
export interface Difference {
  readonly field: Field;
  /** The value when the form was opened. */
  readonly before: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** True if this user changed it too and must choose a value. */
  readonly isBoth: boolean;
}

/** The document as another user saved it, with its differences. */
export interface Conflict {
  readonly doc: Doc;
  readonly etag: string | null;
  readonly differences: readonly Difference[];
}

/** Differences between the document when the form was opened and the one stored now. */
export function differencesOf(meta: Meta, store: DocStore, theirs: Doc): readonly Difference[] {
  const dirty = new Set(store.dirtyFields());
  return meta.fields.flatMap((field) => {
    if (isLayout(field.fieldtype) || field.is_virtual) return [];
    const before = store.stored(field.fieldname);
    const now = isTable(field.fieldtype) ? rowsOf(theirs[field.fieldname]) : theirs[field.fieldname];
    const mine = store.get(field.fieldname);
    if (isSameValue(before, now) || isSameValue(mine, now)) return [];
    return [{ field, before, mine, theirs: now, isBoth: dirty.has(field.fieldname) }];
  });
}

function rowsOf(value: unknown): readonly Row[] {
  if (isRows(value) && value.every((one) => 'key' in one)) return value;
  return (Array.isArray(value) ? value : []).map((values, at) => ({ key: String(at), values }));
}
