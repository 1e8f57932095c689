import { requirePermission } from '../../access/permission.ts';
import type { DocType, Document, Right } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Action, Change } from '../change.ts';
import { nextTransition } from '../check/docstatus.ts';
import { checkLatest, checkRevision, type Expectation } from '../check/latest.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { hasEarlyHooks } from '../controller.ts';
import { cloneDocument, type Loaded, rowsOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { lockDocument } from '../load/load.ts';
import { absent, permittedDoctype, requireReach, requireRight } from '../load/permit.ts';
import { stampUpdate } from '../stamp.ts';
import { foresee } from './announce.ts';
import { fetches } from './fetch.ts';
import { applyFields, orderRows } from './input.ts';
import { lockTree } from './tree.ts';

/** The right that a save needs besides `write`. */
const RIGHT_OF: Readonly<Partial<Record<Action, Right>>> = {
  submit: 'submit',
  update_after_submit: 'submit',
  cancel: 'cancel',
};

/**
 * The first part of every save: locks and loads the document, checks rights and expected state, and applies
 * the sent fields. The sent `docstatus` decides the action.
 * @throws ServiceError PermissionError, DoesNotExistError, PreconditionFailedError, TimestampMismatchError,
 * DocstatusTransitionError, ValidationError
 */
export async function openChange(
  ctx: Context,
  doctypeName: string,
  name: string,
  fields: Fields,
  expectation: Expectation = {},
): Promise<Change> {
  const doctype = permittedDoctype(ctx, doctypeName, 'update');
  if (doctype.is_tree && Object.hasOwn(fields, doctype.nsm_parent_field)) await lockTree(ctx, doctype);
  const stored = await openStored(ctx, doctype, name, 'write');
  checkRevision(ctx, stored, expectation);
  // A single has one name, whatever name was sent.
  if (!doctype.issingle) checkSameName(stored.doc.name, fields);
  checkLatest(ctx, doctype, stored.doc, fields);
  const { action, docstatus } = nextTransition(doctype, stored.doc.docstatus, fields);
  const right = RIGHT_OF[action];
  if (right) await requireRight(ctx, doctype, right, stored.doc);

  const doc = cloneDocument(stored.doc, keptTables(ctx, doctype, stored.doc, docstatus, fields));
  const change: Change = {
    action,
    doctype,
    before: stored.doc,
    doc,
    revision: stored.revision,
    input: orderRows(doctype, fields),
    problems: [],
  };
  doc.docstatus = docstatus;
  applyFields(ctx, change);
  stampUpdate(ctx, change);
  placeChildren(ctx, change);
  // A change must not produce a document that the user may not write.
  await requireReach(ctx, doctype, 'write', doc);
  return change;
}

/**
 * The child tables that nothing in this save can change: the client did not send them, no hook sees the
 * document before its rows are written, no field of a row is fetched or secret, and every row is in its place.
 */
function keptTables(
  ctx: Context,
  doctype: DocType,
  stored: Document,
  docstatus: number,
  fields: Fields,
): ReadonlySet<string> {
  if (docstatus !== stored.docstatus || hasEarlyHooks(ctx, doctype)) return new Set();
  const kept = doctype.tables.filter(({ fieldname, options }) => {
    const child = ctx.doctypes.get(options);
    if (Object.hasOwn(fields, fieldname) || fetches(child) || layoutOf(child).passwords.length > 0)
      return false;
    return rowsOf(stored, fieldname).every((row, at) => row.idx === at + 1 && row.docstatus === docstatus);
  });
  return new Set(kept.map(({ fieldname }) => fieldname));
}

/**
 * Loads and locks a stored document, and checks the user's right to it. A user without the right on any
 * document gets the same error for existing and missing ones.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function openStored(
  ctx: Context,
  doctype: DocType,
  name: string,
  right: 'write' | 'delete',
  lock: 'change' | 'remove' = 'change',
): Promise<Loaded> {
  requirePermission(ctx.user, doctype, right);
  foresee(ctx, doctype);
  const stored = await lockDocument(ctx, doctype, name, lock);
  if (!stored) throw absent(ctx, doctype, name, right);
  await requireRight(ctx, doctype, right, stored.doc);
  return stored;
}

/** @throws ServiceError ValidationError when the fields name another document */
export function checkSameName(name: string, fields: Fields): void {
  const sent = Object.hasOwn(fields, 'name') ? fields['name'] : null;
  if (sent === null || sent === undefined || sent === '' || sent === name) return;
  const isText = typeof sent === 'string' || typeof sent === 'number';
  if (isText && String(sent).normalize('NFC') === name) return;
  throw new ServiceError('ValidationError', 'The name cannot be changed by saving; rename the document');
}
