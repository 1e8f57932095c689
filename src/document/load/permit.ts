import { mayChange, readableFields } from '../../access/field-level.ts';
import { judge } from '../../access/judge.ts';
import { refusal, requirePermission } from '../../access/permission.ts';
import { ruleOf } from '../../access/row-rule.ts';
import { type CurrentUser, isSystemManager } from '../../access/user.ts';
import type { ChildRow, DocType, Document, Right } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Context } from '../contract.ts';
import { rowsOf } from '../document.ts';
import { type VirtualWrite, writesVirtual } from '../virtual/virtual-doctype.ts';
import { hasVirtualFields, withVirtualFields } from '../virtual/virtual-fields.ts';
import { notFound } from './load.ts';
import { hides, narrows, requireControllerPermission } from './narrowing.ts';

/**
 * The doctype of a write: it exists, stores documents, and is not a child doctype, whose rows change with
 * their parent.
 * @throws ServiceError DoesNotExistError, ValidationError
 */
export function writableDoctype(
  ctx: Context,
  doctypeName: string,
  verb: VirtualWrite | 'rename' = 'update',
): DocType {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.is_virtual && (verb === 'rename' || !writesVirtual(ctx, doctype, verb))) {
    throw new ServiceError('ValidationError', `${doctype.name} is read-only: it has no ${verb}`);
  }
  if (doctype.istable) {
    throw new ServiceError('ValidationError', `Rows of ${doctype.name} are changed through their parent`);
  }
  return doctype;
}

/**
 * The same, when the user may make such a write to some document: all checks that need no document.
 * @throws ServiceError DoesNotExistError, ValidationError, PermissionError
 */
export function permittedDoctype(ctx: Context, doctypeName: string, verb: VirtualWrite): DocType {
  const doctype = writableDoctype(ctx, doctypeName, verb);
  // The only document of a single always exists, so its creation is a change.
  const right = verb === 'update' || (verb === 'create' && doctype.issingle) ? 'write' : verb;
  requirePermission(ctx.user, doctype, right);
  return doctype;
}

/**
 * Requires that roles or a share allow it, and that no User Permission or controller refuses it.
 * @throws ServiceError PermissionError
 */
export async function requireRight(
  ctx: Context,
  doctype: DocType,
  right: Right,
  doc: Document,
): Promise<void> {
  await requireReach(ctx, doctype, right, doc);
  if (narrows(ctx, doctype)) await requireControllerPermission(ctx, doctype, doc, right);
}

/** The same without the controllers: for a document with values that are not stored yet. */
export async function requireReach(
  ctx: Context,
  doctype: DocType,
  right: Right,
  doc: Document,
): Promise<void> {
  const rule = ruleOf(ctx.user, doctype, right, ctx.doctypes);
  if (rule && !(await judge(ctx.db, rule, doc)).allowed) throw refusal(doctype, right);
}

/** True when documents of the doctype may be hidden from a user who has the right. */
export function isNarrowed(ctx: Context, doctype: DocType, right: Right): boolean {
  return ruleOf(ctx.user, doctype, right, ctx.doctypes) !== null || narrows(ctx, doctype);
}

/**
 * The error for a missing document. A user with the right to only some documents gets the same error as for a
 * hidden one, and does not learn which names exist.
 */
export function absent(ctx: Context, doctype: DocType, name: string, right: Right): ServiceError {
  // Users who manage permissions may know what controllers hide.
  const isHidden =
    ruleOf(ctx.user, doctype, right, ctx.doctypes) !== null ||
    (!isSystemManager(ctx.user) && hides(ctx, doctype));
  return isHidden ? refusal(doctype, right) : notFound(doctype, name);
}

/**
 * The document as its user may see it: with its computed fields, without fields above their permlevel. The
 * same object when nothing is added or removed. Fields of a child row follow the permissions of `parent`.
 */
export async function visibleTo(
  ctx: Context,
  doctype: DocType,
  stored: Document,
  parent: DocType = doctype,
): Promise<Document> {
  const doc = hasVirtualFields(ctx, doctype) ? await withVirtualFields(ctx, doctype, stored) : stored;
  const readable = readableFields(ctx.user, doctype, parent);
  let shown = doc;
  if (readable !== 'all') {
    shown = { ...doc };
    for (const field of doctype.fields) if (!readable.has(field.fieldname)) delete shown[field.fieldname];
    if (hidesOwnRoles(ctx.user, doctype, shown)) shown['roles'] = [];
  }
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const rowFields = readableFields(ctx.user, child, parent);
    if (rowFields === 'all' || shown[table.fieldname] === undefined) continue;
    if (shown === doc) shown = { ...doc };
    shown[table.fieldname] = rowsOf(doc, table.fieldname).map((row) => visibleRow(child, row, rowFields));
  }
  return shown;
}

/**
 * True when the user may read every document of the doctype, and `visibleTo` and controllers leave all of them
 * as they are stored.
 */
export function readsAsStored(ctx: Context, doctype: DocType): boolean {
  if (isNarrowed(ctx, doctype, 'read') || hasVirtualFields(ctx, doctype)) return false;
  if (readableFields(ctx.user, doctype) !== 'all') return false;
  return doctype.tables.every(
    ({ options }) => readableFields(ctx.user, ctx.doctypes.get(options), doctype) === 'all',
  );
}

// As in Frappe, users without the level of their roles read an empty list. They cannot write it either, so that
// a client may send the record back.
function hidesOwnRoles(user: CurrentUser, doctype: DocType, shown: Document): boolean {
  const isOwn = doctype.name === 'User' && shown.name === user.name;
  return isOwn && shown['roles'] === undefined && !mayChange(user, doctype, 'roles');
}

function visibleRow(child: DocType, row: ChildRow, readable: ReadonlySet<string>): ChildRow {
  const shown = { ...row };
  for (const field of child.fields) if (!readable.has(field.fieldname)) delete shown[field.fieldname];
  return shown;
}
