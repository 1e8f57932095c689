import { ident, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import type { Context } from '../../document/contract.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Fields, isRecord, recordsIn } from '../../kernel/value.ts';
import type { Version } from '../ledger.ts';
import { keyForm, storedKey, storedName } from './identities.ts';
import type { SaveOptions } from './save-options.ts';

/** What a save has done, for the ledger, with the version after it. */
export interface Saved extends Version {
  readonly action: 'inserted' | 'updated' | 'unchanged';
  readonly name: string;
  /** JSON of the document before an update; null otherwise. */
  readonly before: string | null;
}

/**
 * Saves one record through the verbs, as the user of the context.
 * @throws ServiceError as the verbs; ValidationError when the mode does not allow it
 */
export async function saveRecord(ctx: Context, options: SaveOptions, record: Fields): Promise<Saved> {
  const { doctype, mode, keyField } = options;
  const values = mode === 'Insert' ? record : { ...record, [keyField]: keyForm(record[keyField]) };
  const key = values[keyField];
  const hasKey = key !== null && key !== undefined && key !== '';
  if (mode === 'Update' && !hasKey) {
    throw new ServiceError(
      'ValidationError',
      `${labelOf(doctype, keyField)} is missing: it finds the document`,
    );
  }
  const found = doctype.issingle
    ? doctype.name
    : mode === 'Insert' || !hasKey
      ? null
      : await nameBy(ctx, doctype, keyField, record[keyField]);
  if (found !== null) {
    // The key stays as it is stored.
    const { [keyField]: _key, ...others } = values;
    return update(ctx, doctype, found, doctype.issingle ? values : others);
  }
  if (mode === 'Update') {
    const label = labelOf(doctype, keyField);
    throw new ServiceError('DoesNotExistError', `There is no ${doctype.name} with ${label} ${String(key)}`);
  }
  return insert(ctx, options, values);
}

async function insert(
  ctx: Context,
  { doctype, mode, keyField }: SaveOptions,
  values: Fields,
): Promise<Saved> {
  const { name } = await createDocument(ctx, doctype.name, values);
  const chosen = values['name'];
  // Another run would insert it again.
  if (mode === 'Upsert' && keyField === 'name' && chosen && String(name) !== storedName(String(chosen))) {
    throw new ServiceError(
      'ValidationError',
      `There is no ${doctype.name} ${String(chosen)}, and a new one cannot have this name: its naming rule gives another`,
    );
  }
  return {
    action: 'inserted',
    name: String(name),
    ...versionIn(ctx, doctype, String(name)),
    before: null,
  };
}

async function update(ctx: Context, doctype: DocType, name: string, values: Fields): Promise<Saved> {
  const { name: _name, ...fields } = values;
  const stored = await readDocument(ctx, doctype.name, name);
  if (isSame(ctx, doctype, stored, fields))
    return { action: 'unchanged', name, revision: 0, creation: null, before: null };
  const earlier = ctx.events.length;
  const saved = await updateDocument(ctx, doctype.name, name, fields);
  const event = ctx.events
    .slice(earlier)
    .find(({ doctype: of, doc }) => of === doctype && String(doc.name) === name);
  const before = JSON.stringify(event?.before ?? stored);
  return { action: 'updated', name, ...versionIn(ctx, doctype, String(saved.name)), before };
}

/** The version that the last event of this unit about the document has. */
function versionIn({ events }: Context, doctype: DocType, name: string): Version {
  const last = events.findLast((event) => event.doctype === doctype && String(event.doc.name) === name);
  return { revision: last?.revision ?? 0, creation: last?.doc.creation ?? null };
}

/**
 * Finds a document by its name or a unique field, in the form in which these are stored. Texts are stored with the
 * spaces around them, so that a document with exactly this text comes first.
 */
async function nameBy(ctx: Context, doctype: DocType, key: string, given: unknown): Promise<string | null> {
  const forms = doctype.fieldByName.has(key) ? [given, keyForm(given)] : [keyForm(given)];
  for (const value of new Set(forms.map((form) => storedKey(doctype, key, form)))) {
    const row = await ctx.db.get(
      sql`select "name" from ${ident(doctype.name)} where ${ident(key)} = ${value}`,
    );
    if (row) return String(row['name']);
  }
  return null;
}

function labelOf({ fieldByName }: DocType, fieldname: string): string {
  return fieldname === 'name' ? 'ID' : fieldByName.get(fieldname)?.label || fieldname;
}

/** True if the document has these values already. Fields that the user may not read count as changed. */
function isSame(ctx: Context, doctype: DocType, stored: Document, values: Fields): boolean {
  return Object.entries(values).every(([fieldname, value]) => {
    const table = doctype.tables.find((one) => one.fieldname === fieldname);
    if (!table) return isSameValue(doctype, stored, fieldname, value);
    const child = ctx.doctypes.get(table.options);
    const rows = recordsIn(stored[fieldname]);
    const given = Array.isArray(value) ? value : [];
    if (rows.length !== given.length) return false;
    return given.every((row, at) => {
      const other = rows[at];
      return (
        isRecord(row) &&
        other !== undefined &&
        Object.entries(row).every(([name, cell]) => isSameValue(child, other, name, cell))
      );
    });
  });
}

function isSameValue(doctype: DocType, stored: Fields, fieldname: string, value: unknown): boolean {
  const field = doctype.fieldByName.get(fieldname);
  const now = stored[fieldname];
  if (now === undefined) return false;
  if (!field) return value === null || String(now) === String(value);
  if (field.fieldtype === 'Password') return false;
  try {
    return (fieldtypeOf(field).coerce(value, field) ?? '') === (fieldtypeOf(field).coerce(now, field) ?? '');
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
