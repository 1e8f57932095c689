import { readableFields } from '../access/field-level.ts';
import { judge } from '../access/judge.ts';
import { refusal } from '../access/permission.ts';
import { ruleOf } from '../access/row-rule.ts';
import { isSystemManager } from '../access/user.ts';
import type { ChildRow, DocType, Document, Right } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Context } from './context.ts';
import { rowsOf } from './document.ts';
import { notFound } from './load.ts';
import { hides, narrows, requireControllerPermission } from './narrowing.ts';
import { type VirtualWrite, writesVirtual } from './virtual-doctype.ts';
import { hasVirtualFields, withVirtualFields } from './virtual-fields.ts';

/**
 * The doctype of a write: known, stored as documents, and not a child's, whose rows change with their parent.
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
 * Roles or a share allow it, no User Permission keeps it away, and controllers do not narrow it.
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

/** The same without asking controllers: for a document with values that are not stored yet. */
export async function requireReach(
  ctx: Context,
  doctype: DocType,
  right: Right,
  doc: Document,
): Promise<void> {
  const rule = ruleOf(ctx.user, doctype, right, ctx.doctypes);
  if (rule && !(await judge(ctx.db, rule, doc)).allowed) throw refusal(doctype, right);
}

/** True when some documents of the doctype may be kept from a user who has the right. */
export function isNarrowed(ctx: Context, doctype: DocType, right: Right): boolean {
  return ruleOf(ctx.user, doctype, right, ctx.doctypes) !== null || narrows(ctx, doctype);
}

/**
 * What is said of a document that is not there. Whoever has the right to some documents only hears what they would hear
 * of the others, and does not learn which names exist.
 */
export function absent(ctx: Context, doctype: DocType, name: string, right: Right): ServiceError {
  // What controllers hide is no secret to those who manage who sees what.
  const isHidden =
    ruleOf(ctx.user, doctype, right, ctx.doctypes) !== null ||
    (!isSystemManager(ctx.user) && hides(ctx, doctype));
  return isHidden ? refusal(doctype, right) : notFound(doctype, name);
}

/**
 * The document as its user may see it: with its computed fields, without fields above their permlevel. The same object
 * when nothing is added or withheld.
 * A child row's fields follow the permissions of `parent`.
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

function visibleRow(child: DocType, row: ChildRow, readable: ReadonlySet<string>): ChildRow {
  const shown = { ...row };
  for (const field of child.fields) if (!readable.has(field.fieldname)) delete shown[field.fieldname];
  return shown;
}
