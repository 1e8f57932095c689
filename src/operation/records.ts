import { isIn, readableFields, writableFields } from '../access/field-level.ts';
import { allows, refusal, requirePermission } from '../access/permission.ts';
import type { ChildRow, DocField, DocType, Document, Right } from '../doctype/doctype.ts';
import { checkLatest, checkRevision, type Expectation } from '../document/check/latest.ts';
import type { Context } from '../document/contract.ts';
import { type Loaded, rowsOf } from '../document/document.ts';
import { load, lockDocument, notFound } from '../document/load/load.ts';
import { absent, permittedDoctype, requireRight, visibleTo } from '../document/load/permit.ts';
import { createDocument } from '../document/verbs/create.ts';
import { deleteDocument } from '../document/verbs/delete.ts';
import { showsTable } from '../document/verbs/read.ts';
import { updateDocument } from '../document/verbs/update.ts';
import type { VirtualWrite } from '../document/virtual/virtual-doctype.ts';
import { idxOf, mayWrite } from '../document/write/input.ts';
import { checkSameName } from '../document/write/save.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { textArgument } from './arguments.ts';

/**
 * What a write left: the document, or the child row with the document that holds it. Both are as their user
 * may read them.
 */
export interface Written {
  readonly doc: Document;
  /** Of a row: its parent; otherwise the document itself. */
  readonly holder: Document;
}

/**
 * Requires that the user may make such a write to some document of the doctype, or to some parent of its
 * rows: all checks that need no document.
 * @throws ServiceError DoesNotExistError, ValidationError, PermissionError
 */
export function requireSomeWrite(ctx: Context, doctypeName: string, verb: VirtualWrite): void {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable) requireSomeParent(ctx, doctype, verb);
  else permittedDoctype(ctx, doctypeName, verb);
}

/** The same for many documents, each of which is judged on its own later. */
export function requireSomeRight(ctx: Context, doctypeName: string, right: 'write' | 'delete'): void {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable) requireSomeParent(ctx, doctype, right);
  else requirePermission(ctx.user, doctype, right);
}

/** Creates a document, or a child row in the document that its fields name. */
export async function createRecord(ctx: Context, doctypeName: string, fields: Fields): Promise<Written> {
  const child = ctx.doctypes.get(doctypeName);
  if (!child.istable) return whole(await createDocument(ctx, doctypeName, fields));
  const table = await openTable(ctx, child, fields);
  const { name: _name, ...values } = fields;
  return saveRow(ctx, table, table.rows, values, idxOf(fields) ?? 0);
}

/** Updates a document, or a child row in its parent. */
export async function updateRecord(
  ctx: Context,
  doctypeName: string,
  name: string,
  fields: Fields,
  expectation: Expectation = {},
): Promise<Written> {
  const child = ctx.doctypes.get(doctypeName);
  if (!child.istable) return whole(await updateDocument(ctx, doctypeName, name, fields, expectation));
  const { table, row, others } = await openRow(ctx, child, name, 'update', expectation);
  checkSameName(row.name, fields);
  checkLatest(ctx, table.parenttype, table.parent.doc, fields, row);
  const idx = idxOf(fields) ?? table.rows.indexOf(row) + 1;
  return saveRow(ctx, table, others, { ...row, ...fields, name: row.name }, idx);
}

/** Deletes a document, or a child row from its parent. */
export async function deleteRecord(
  ctx: Context,
  doctypeName: string,
  name: string,
  expectation: Expectation = {},
): Promise<void> {
  const child = ctx.doctypes.get(doctypeName);
  if (!child.istable) return deleteDocument(ctx, doctypeName, name, expectation);
  const { table, others } = await openRow(ctx, child, name, 'delete', expectation);
  await saveTable(ctx, table, others);
}

function whole(doc: Document): Written {
  return { doc, holder: doc };
}

// A user without the right to any parent gets the same error for existing and missing rows.
function requireSomeParent(ctx: Context, child: DocType, right: Right | VirtualWrite): void {
  const parents = ctx.doctypes.parentsOf(child.name);
  const mayWrite = parents.some(({ doctype }) => allows(ctx.user, doctype, 'write'));
  if (!mayWrite && !ctx.user.isAdministrator) throw refusal(child, right === 'update' ? 'write' : right);
}

/** A table of a locked document that the user may read. */
interface OpenTable {
  readonly parenttype: DocType;
  readonly field: DocField;
  readonly parent: Loaded;
  /** As stored, with the fields that the user may not read. */
  readonly rows: readonly ChildRow[];
}

async function openTable(ctx: Context, child: DocType, place: Fields): Promise<OpenTable> {
  const parentfield = textArgument(place, 'parentfield');
  const parenttypeName = textArgument(place, 'parenttype');
  const name = textArgument(place, 'parent');
  requireSomeParent(ctx, child, 'create');
  const parenttype = ctx.doctypes.get(parenttypeName);
  // Before its fields: they are known to those who may read it.
  requirePermission(ctx.user, parenttype, 'read');
  const field = parenttype.fieldByName.get(parentfield);
  if (field?.options !== child.name) {
    throw new ServiceError(
      'ValidationError',
      `${parentfield} is not a table of ${child.name} in ${parenttype.name}`,
    );
  }
  // Locked before its rows are read: two new rows at a time must not replace each other.
  const parent = await lockDocument(ctx, parenttype, name, 'change');
  if (!parent) throw absent(ctx, parenttype, name, 'read');
  await requireRight(ctx, parenttype, 'read', parent.doc);
  const table = { parenttype, field, parent, rows: rowsOf(parent.doc, parentfield) };
  requireTable(ctx, child, table, 'create');
  return table;
}

// Values for a table above the user's level are ignored in a document. A row of its own would be lost.
function requireTable(ctx: Context, child: DocType, { parenttype, field }: OpenTable, right: Right): void {
  const reads = isIn(readableFields(ctx.user, parenttype), field.fieldname);
  if (!reads || !mayWrite(ctx, parenttype, writableFields(ctx.user, parenttype), field)) {
    throw refusal(child, right);
  }
}

interface OpenRow {
  readonly table: OpenTable;
  readonly row: ChildRow;
  readonly others: readonly ChildRow[];
}

/** The stored row decides about its parent, whatever the request says. */
async function openRow(
  ctx: Context,
  child: DocType,
  name: string,
  verb: 'update' | 'delete',
  expectation: Expectation,
): Promise<OpenRow> {
  requireSomeParent(ctx, child, verb);
  const place = (await load(ctx, child, name))?.doc;
  const parenttype = place && ctx.doctypes.find(String(place['parenttype']));
  const field = parenttype?.fieldByName.get(String(place?.['parentfield']));
  const parent = parenttype && (await lockDocument(ctx, parenttype, String(place?.['parent']), 'change'));
  const rows = parent && field ? rowsOf(parent.doc, field.fieldname) : [];
  const row = rows.find((one) => one.name === place?.name);
  // A row of a hidden document or in a hidden table counts as missing.
  if (!row || !field || !parent || !(await showsTable(ctx, parenttype, parent.doc, field.fieldname))) {
    throw notFound(child, name);
  }
  const table = { parenttype, field, parent, rows };
  requireTable(ctx, child, table, verb === 'update' ? 'write' : verb);
  // Before the state of the row, as for documents.
  await requireRight(ctx, parenttype, 'write', parent.doc);
  const shown = await visibleTo(ctx, child, row, parenttype);
  checkRevision(ctx, { doc: shown, revision: parent.revision }, expectation, null);
  return { table, row, others: rows.filter((one) => one !== row) };
}

/** Saves the parent with this row among the others: in the place of `idx`, or for 0 after them. */
async function saveRow(
  ctx: Context,
  table: OpenTable,
  others: readonly ChildRow[],
  row: Fields,
  idx: number,
): Promise<Written> {
  const at = idx === 0 ? others.length : idx - 1;
  const rows = (others as readonly Fields[]).toSpliced(at, 0, row);
  const holder = await saveTable(
    ctx,
    table,
    // The order counts.
    rows.map(({ idx: _idx, ...values }) => values),
  );
  const known = new Set(others.map(({ name }) => name));
  const saved = rowsOf(holder, table.field.fieldname).find(({ name }) => !known.has(name));
  return { doc: saved ?? holder, holder };
}

function saveTable(ctx: Context, table: OpenTable, rows: readonly unknown[]): Promise<Document> {
  const { parenttype, parent, field } = table;
  return updateDocument(ctx, parenttype.name, parent.doc.name, { [field.fieldname]: rows });
}
