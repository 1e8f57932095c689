import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { rowsOf } from '../../document/document.ts';
import { defineMethod } from '../../document/method.ts';
import { readDocument } from '../../document/read.ts';
import { updateDocument } from '../../document/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Difference } from './diff.ts';

/** Which side of a version is wanted back. */
type Side = 'before' | 'after';

/** What a version puts back, or would. */
export interface RestoredVersion {
  readonly doctype: string;
  readonly name: string;
  /** The fields that are set, as an update takes them; tables whole. */
  readonly fields: Fields;
  /** What could not be put back: sentences for people. */
  readonly notes: readonly string[];
}

/** `chancery.restore_version {name, to?, preview?}`: the values of a version again. */
export const restoreVersionMethod = defineMethod({
  http: ['POST'],
  description: 'Give the fields that a version changed the values they had before it, or after it',
  args: {
    name: { type: 'Data', required: true, description: 'Name of a Version' },
    to: { type: 'Select', options: ['before', 'after'], default: 'before' },
    preview: { type: 'Check', description: 'Only tell which fields would be set, and to what' },
  },
  run: (ctx, { name, to, preview }) =>
    restoreVersion(ctx, name, to === 'after' ? 'after' : 'before', preview),
});

/**
 * Sets the fields and rows that a version is about to what they were on one side of it, and nothing else: a save like any other,
 * with its rights, checks, hooks and version.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError for a version that was too long to keep its
 *   values, and as `updateDocument`
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
    throw new ServiceError('ValidationError', 'This version was too long to keep the values of its rows');
  }
  const doc = await readDocument(ctx, String(version['ref_doctype']), String(version['docname']));
  const notes: string[] = [];
  const fields = {
    ...plainFields(ctx.doctypes.get(doc.doctype), difference, to, notes),
    ...tables(ctx.doctypes.get(doc.doctype), doc, difference, to, notes),
  };
  // Whoever saves between the reading and this finds it refused, not their rows gone.
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
    else if (field.read_only) notes.push(`${field.label} is read-only.`);
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
  // Rows that this side of the version has and the other has not.
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

// An empty text and not null, which in a row means that the default stands.
function valuesOf(changed: Difference['changed'], to: Side): Fields {
  return Object.fromEntries(
    changed.map(([fieldname, before, after]) => [fieldname, (to === 'before' ? before : after) ?? '']),
  );
}
