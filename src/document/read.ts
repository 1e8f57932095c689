import { readableFields } from '../access/field-level.ts';
import { allows, refusal, requirePermission } from '../access/permission.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import type { Context } from './context.ts';
import { type Loaded, load, notFound } from './load.ts';
import { absent, requireRight, visibleTo } from './permit.ts';
import { hasRight } from './rights-on.ts';

/**
 * A document with its child tables, as the user may see it.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function readDocument(ctx: Context, doctypeName: string, name: string): Promise<Document> {
  return (await readDocumentWithRevision(ctx, doctypeName, name)).doc;
}

/** The same with the document's revision: one statement. */
export async function readDocumentWithRevision(
  ctx: Context,
  doctypeName: string,
  name: string,
): Promise<Loaded> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable) return readRowWithRevision(ctx, doctype, name);
  // Without the right on any document, existing and missing ones are refused alike.
  requirePermission(ctx.user, doctype, 'read');
  const loaded = await load(ctx, doctype, name);
  if (!loaded) throw absent(ctx, doctype, name, 'read');
  await requireRight(ctx, doctype, 'read', loaded.doc);
  return { doc: await visibleTo(ctx, doctype, loaded.doc), revision: loaded.revision };
}

/** A child row is read with the right to its parent. */
async function readRowWithRevision(ctx: Context, child: DocType, name: string): Promise<Loaded> {
  const parents = ctx.doctypes.parentsOf(child.name);
  const mayRead = parents.some((parent) => allows(ctx.user, parent.doctype, 'read'));
  if (!mayRead && !ctx.user.isAdministrator) throw refusal(child, 'read');
  const row = await load(ctx, child, name);
  const parenttype = row && ctx.doctypes.find(String(row.doc['parenttype']));
  const parent = parenttype ? await load(ctx, parenttype, String(row.doc['parent'])) : null;
  // A row of what they may not read, or in a table they do not see, is as missing.
  if (!row || !parenttype || !parent || !(await showsTable(ctx, parenttype, parent.doc, row.doc))) {
    throw notFound(child, name);
  }
  return { doc: await visibleTo(ctx, child, row.doc, parenttype), revision: parent.revision };
}

async function showsTable(
  ctx: Context,
  parenttype: DocType,
  parent: Document,
  row: Document,
): Promise<boolean> {
  const readable = readableFields(ctx.user, parenttype);
  if (readable !== 'all' && !readable.has(String(row['parentfield']))) return false;
  return allows(ctx.user, parenttype, 'read') && hasRight(ctx, parenttype, 'read', parent);
}
