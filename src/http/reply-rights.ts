import { isIn, readableFields } from '../access/field-level.ts';
import { requirePermission } from '../access/permission.ts';
import type { CurrentUser } from '../access/user.ts';
import type { DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import { load } from '../document/load.ts';
import { requireRight } from '../document/permit.ts';
import { readDocument } from '../document/read.ts';
import { hasRightOn } from '../document/rights-on.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';

/** What a reply was given by: kept beside it, so that it is not given again to somebody who lost that. */
export interface ReplyRights {
  readonly roles: readonly string[];
  /** The same text for the same User Permissions. */
  readonly restrictions: string;
  /** Documents that it shows to somebody who may not read them: what they made themselves. `[doctype, name]` */
  readonly unread: readonly (readonly [doctype: string, name: string])[];
}

/** The rights behind a reply that is being given. */
export async function rightsBehind(ctx: Context, body: string): Promise<ReplyRights> {
  const unread: (readonly [string, string])[] = [];
  for (const { doctype, name } of contentOf(ctx.doctypes, parsed(body)).documents) {
    if (!(await mayRead(ctx, doctype, name))) unread.push([doctype, name]);
  }
  return { roles: [...ctx.user.roles], restrictions: restrictionsOf(ctx.user), unread };
}

async function mayRead(ctx: Context, doctype: string, name: string): Promise<boolean> {
  try {
    return await hasRightOn(ctx, ctx.doctypes.get(doctype), name, 'read');
  } catch (error) {
    // What a controller cannot look up now, the reply shows nevertheless.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/**
 * The body of a stored reply as its user may see it now. Its documents are what the user may still read, without
 * fields above their permlevel; the same text where nothing is withheld. What else it says is for those who have every
 * role that they had, and the same User Permissions. A document that is gone is judged by what the reply shows of it.
 * @throws ServiceError PermissionError, as a read of the document
 */
export async function stillVisible(ctx: Context, body: string, rights: ReplyRights | null): Promise<string> {
  const reply = parsed(body);
  const { documents, saysMore } = contentOf(ctx.doctypes, reply);
  if (saysMore && rights && hasLost(ctx.user, rights)) {
    throw new ServiceError('PermissionError', 'You may no longer see the answer to this Idempotency-Key', {
      title: 'Not permitted',
    });
  }
  let isCut = false;
  for (const shown of documents) {
    const isUnread = rights?.unread.some(
      ([doctype, name]) => doctype === shown.doctype && name === shown.name,
    );
    if (!isUnread) await requireSight(ctx, shown);
    isCut = cutToLevel(ctx, shown) || isCut;
  }
  return isCut ? JSON.stringify(reply) : body;
}

interface Content {
  readonly documents: Document[];
  /** There is something beside documents. */
  readonly saysMore: boolean;
}

function contentOf(registry: DoctypeRegistry, reply: unknown): Content {
  const documents: Document[] = [];
  let saysMore = false;
  const visit = (value: unknown): void => {
    if (value === null || value === undefined || value === 'ok') return;
    if (Array.isArray(value)) value.forEach(visit);
    else if (isDocument(registry, value)) documents.push(value);
    else if (isRecord(value)) Object.values(value).forEach(visit);
    else saysMore = true;
  };
  visit(reply);
  return { documents, saysMore };
}

function isDocument(registry: DoctypeRegistry, value: unknown): value is Document {
  if (!isRecord(value) || typeof value.doctype !== 'string' || typeof value.name !== 'string') return false;
  return typeof value.docstatus === 'number' && registry.find(value.doctype) !== undefined;
}

function hasLost(user: CurrentUser, { roles, restrictions }: ReplyRights): boolean {
  return restrictions !== restrictionsOf(user) || roles.some((role) => !user.roles.has(role));
}

function restrictionsOf({ grants }: CurrentUser): string {
  const entries = [...(grants?.permissions ?? [])].map((entry) => JSON.stringify(entry));
  return entries.length === 0 ? '' : entries.sort().join();
}

async function requireSight(ctx: Context, shown: Document): Promise<void> {
  const doctype = ctx.doctypes.get(shown.doctype);
  if (doctype.istable || (await load(ctx, doctype, shown.name))) {
    await readDocument(ctx, shown.doctype, shown.name);
    return;
  }
  requirePermission(ctx.user, doctype, 'read');
  await requireRight(ctx, doctype, 'read', shown);
}

/** Takes fields that the user may not read out of a document; true when there were some. */
function cutToLevel(ctx: Context, shown: Document): boolean {
  const doctype = ctx.doctypes.get(shown.doctype);
  let isCut = cut(shown, doctype, ctx.user, doctype);
  for (const table of doctype.tables) {
    const rows = shown[table.fieldname];
    const child = ctx.doctypes.get(table.options);
    if (!Array.isArray(rows)) continue;
    for (const row of rows) isCut = cut(row, child, ctx.user, doctype) || isCut;
  }
  return isCut;
}

function cut(holder: Record<string, unknown>, of: DocType, user: CurrentUser, parent: DocType): boolean {
  const readable = readableFields(user, of, parent);
  let isCut = false;
  for (const { fieldname } of of.fields) {
    if (isIn(readable, fieldname) || !Object.hasOwn(holder, fieldname)) continue;
    delete holder[fieldname];
    isCut = true;
  }
  return isCut;
}

function parsed(body: string): unknown {
  return body === '' ? null : JSON.parse(body);
}
