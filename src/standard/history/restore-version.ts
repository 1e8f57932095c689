import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { isSetByServer } from '../../doctype/field-rules.ts';
import type { Context } from '../../document/contract.ts';
import { rowsOf } from '../../document/document.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Difference } from './diff.ts';

/** The side of a version to restore. */
type Side = 'before' | 'after';

/** The result of restoring a version, or of its preview. */
export interface RestoredVersion {
  readonly doctype: string;
  readonly name: string;
  /** The fields to set, in the form of an update. Tables are complete. */
  readonly fields: Fields;
  /** Sentences about values that could not be restored. */
  readonly notes: readonly string[];
}

/** `chancery.restore_version {name, to?, preview?}`: restores the values of a version. */
export const restoreVersionMethod = defineMethod({
  http: ['POST'],
  description: 'Set the fields that a version changed to their values before or after it',
  args: {
    name: { type: 'Data', required: true, description: 'Name of a Version' },
    to: { type: 'Select', options: ['before', 'after'], default: 'before' },
    preview: { type: 'Check', description: 'Only report the fields that would be set, and their values' },
  },
  run: (ctx, { name, to, preview }) =>
    restoreVersion(ctx, name, to === 'after' ? 'after' : 'before', preview),
});

/**
 * Restores the fields and rows of a version to one side of it, and leaves everything else. It is a normal
 * save with permissions, checks, hooks and a version.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError for a version that was too long to
 * store its values, and as `updateDocument`
 */
async function restoreVersion(
  ctx: Context,
  versionName: string,
  to: Side,
  preview: boolean,
): Promise<RestoredVersion> {
  const version = await readDocument(ctx, 'Version', versionName);
  const difference: Difference & { readonly truncated?: true } = JSON.parse(String(version['data']));
  if (difference.truncated) {
    throw new ServiceError('ValidationError', 'This version was too large to store the values of its rows');
  }
  const doc = await readDocument(ctx, String(version['ref_doctype']), String(version['docname']));
  const notes: string[] = [];
  const fields = {
    ...plainFields(ctx.doctypes.get(doc.doctype), difference, to, notes),
    ...tables(ctx.doctypes.get(doc.doctype), doc, difference, to, notes),
  };
  // A save between this read and the update causes a refusal, so no rows are lost.
  if (!preview && Object.keys(fields).length > 0)
    await updateDocument(ctx, doc.doctype, doc.name, { ...fields, modified: doc.modified });
  return { doctype: doc.doctype, name: doc.name, fields, notes };
}

function plainFields(
  doctype: DocType,
  { changed }: Difference,
  to: Side,
  notes: string[],
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [fieldname, before, after] of changed) {
    const field = doctype.fieldByName.get(fieldname);
    if (fieldname === 'docstatus') notes.push('Submitting and cancelling is not taken back.');
    else if (!field) notes.push(`There is no field ${fieldname} any more.`);
    else if (isSetByServer(field)) notes.push(`${field.label} is read-only.`);
    else fields[fieldname] = to === 'before' ? before : after;
  }
  return fields;
}

function tables(
  doctype: DocType,
  doc: Document,
  difference: Difference,
  to: Side,
  notes: string[],
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  // Rows on this side of the version only, and rows on the other side only.
  const [back, away] =
    to === 'before' ? [difference.removed, difference.added] : [difference.added, difference.removed];
  const touched = new Set([...back, ...away, ...difference.row_changed].map(([table]) => table));
  for (const { fieldname: table } of doctype.tables) {
    if (!touched.delete(table)) continue;
    const gone = new Set(of(away, table).map(({ name }) => name));
    const rows: (ChildRow | Fields)[] = rowsOf(doc, table).filter(({ name }) => !gone.has(name));
    const known = new Map<unknown, number>(rows.map((row, index) => [row['name'], index]));
    for (const [, , name, changed] of difference.row_changed.filter(([one]) => one === table)) {
      const at = known.get(name);
      const row = at === undefined ? undefined : rows[at];
      if (at === undefined || !row) notes.push(`A changed row of ${table} is not there any more.`);
      else rows[at] = { ...row, ...valuesOf(changed, to) };
    }
    for (const row of of(back, table).toSorted((a, b) => Number(a['idx']) - Number(b['idx']))) {
      if (!known.has(row['name'])) rows.splice(Math.max(Number(row['idx']) - 1, 0), 0, row);
    }
    found[table] = rows;
  }
  for (const table of touched) notes.push(`There is no table ${table} any more.`);
  return found;
}

function of(rows: Difference['added'], table: string): readonly Fields[] {
  return rows.filter(([one]) => one === table).map(([, row]) => row);
}

// Uses an empty text instead of null: in a row, null would select the default.
function valuesOf(changed: Difference['changed'], to: Side): Fields {
  return Object.fromEntries(
    changed.map(([fieldname, before, after]) => [fieldname, (to === 'before' ? before : after) ?? '']),
  );
}
