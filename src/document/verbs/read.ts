import { isIn, readableFields } from '../../access/field-level.ts';
import { allows, refusal, requirePermission } from '../../access/permission.ts';
import { rowFilter } from '../../access/row-filter.ts';
import type { Connection } from '../../db/database.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { isReadContext, timestamp } from '../context.ts';
import type { Context } from '../contract.ts';
import { type Loaded, rowsOf } from '../document.ts';
import { load, loadRow, notFound } from '../load/load.ts';
import { narrows } from '../load/narrowing.ts';
import { absent, readsAsStored, requireRight, visibleTo } from '../load/permit.ts';
import { looksElsewhere, rowContext } from '../load/replica.ts';
import { hasRight } from '../load/rights-on.ts';
import { isTextOfRow, type Stored, storedReply } from '../load/stored-text.ts';
import { isShared, separateStamp } from '../stamp.ts';

/**
 * A document with its child tables, as the user may see it.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function readDocument(ctx: Context, doctypeName: string, name: string): Promise<Document> {
  return (await readDocumentWithRevision(ctx, doctypeName, name)).doc;
}

/** The same with the document's revision: as a rule one statement, perhaps to `replica`. */
export async function readDocumentWithRevision(
  ctx: Context,
  doctypeName: string,
  name: string,
  replica: Connection | null = null,
): Promise<Loaded> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable) return readRowWithRevision(ctx, doctype, name);
  // A user without the right on any document gets the same error for existing and missing ones.
  requirePermission(ctx.user, doctype, 'read');
  const loaded = await loadFrom(ctx, doctype, name, replica);
  if (!loaded) throw absent(ctx, doctype, name, 'read');
  await requireRight(ctx, doctype, 'read', loaded.doc);
  const { doc } = loaded;
  if (isShared(doc.modified) && (await separate(ctx, doctype, doc))) {
    return readDocumentWithRevision(ctx, doctypeName, name);
  }
  return { doc: await visibleTo(ctx, doctype, loaded.doc), revision: loaded.revision };
}

/**
 * The same as the reply of its row, for a user who may read every document of the doctype as it is stored. Null
 * when the document must be read in full, and then decides whether it exists.
 * @throws ServiceError PermissionError
 */
export async function readStored(
  ctx: Context,
  doctypeName: string,
  name: string,
  replica: Connection | null = null,
): Promise<Stored | null> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (!isTextOfRow(ctx.doctypes, doctype)) return null;
  requirePermission(ctx.user, doctype, 'read');
  if (!readsAsStored(ctx, doctype)) return null;
  const row = await loadRow(rowContext(ctx, doctype, replica), doctype, name);
  if (!row || isShared(String(row['modified']))) return null;
  return storedReply(ctx.doctypes, doctype, row);
}

/**
 * From a replica, where it is there and its `modified` is its own. Somebody may have been told of it before the
 * replica was, so the primary decides that it does not exist. A right that depends on other rows, which are the
 * primary's, needs the document of the same moment.
 */
async function loadFrom(
  ctx: Context,
  doctype: DocType,
  name: string,
  replica: Connection | null,
): Promise<Loaded | null> {
  if (replica === null) return load(ctx, doctype, name);
  const rows = rowFilter(ctx.user, doctype, 'read', ctx.doctypes);
  const mayLag = !narrows(ctx, doctype) && !(rows && looksElsewhere(rows));
  const from = mayLag ? rowContext(ctx, doctype, replica) : ctx;
  const found = from === ctx ? null : await load(from, doctype, name);
  return found && !isShared(found.doc.modified) ? found : load(ctx, doctype, name);
}

/**
 * Quick saves leave a `modified` that versions share, and a save that sends it is refused. The first read after
 * them gives the document one of its own. A read during them does not: the new revision would fail saves with
 * `If-Match`. Resolves to true when the document changed.
 */
async function separate(ctx: Context, doctype: DocType, stored: Document, row?: ChildRow): Promise<boolean> {
  const { modified } = row ?? stored;
  if (!isReadContext(ctx) || modified > timestamp(ctx.site)) return false;
  // Reads continue where nothing can be written.
  return separateStamp(ctx, doctype, stored, row).catch(() => false);
}

/** Reading a child row needs the right to its parent. */
async function readRowWithRevision(ctx: Context, child: DocType, name: string): Promise<Loaded> {
  const parents = ctx.doctypes.parentsOf(child.name);
  const mayRead = parents.some((parent) => allows(ctx.user, parent.doctype, 'read'));
  if (!mayRead && !ctx.user.isAdministrator) throw refusal(child, 'read');
  const row = await load(ctx, child, name);
  const parenttype = row && ctx.doctypes.find(String(row.doc['parenttype']));
  const parent = parenttype ? await load(ctx, parenttype, String(row.doc['parent'])) : null;
  // A row of a hidden document or in a hidden table counts as missing.
  if (
    !row ||
    !parenttype ||
    !parent ||
    !(await showsTable(ctx, parenttype, parent.doc, String(row.doc['parentfield'])))
  ) {
    throw notFound(child, name);
  }
  const stored = rowsOf(parent.doc, String(row.doc['parentfield'])).find((one) => one.name === row.doc.name);
  if (stored && isShared(stored.modified) && (await separate(ctx, parenttype, parent.doc, stored))) {
    return readRowWithRevision(ctx, child, name);
  }
  return { doc: await visibleTo(ctx, child, row.doc, parenttype), revision: parent.revision };
}

/** True when the user may read this table of a loaded document. */
export async function showsTable(
  ctx: Context,
  parenttype: DocType,
  parent: Document,
  parentfield: string,
): Promise<boolean> {
  if (!isIn(readableFields(ctx.user, parenttype), parentfield)) return false;
  return allows(ctx.user, parenttype, 'read') && hasRight(ctx, parenttype, 'read', parent);
}
