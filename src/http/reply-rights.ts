import { isIn, readableFields } from '../access/field-level.ts';
import { type Reach, reachOf, requirePermission } from '../access/permission.ts';
import type { CurrentUser } from '../access/user.ts';
import { sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { load, notFound } from '../document/load/load.ts';
import { requireRight } from '../document/load/permit.ts';
import { hasRightOn } from '../document/load/rights-on.ts';
import { readDocument } from '../document/verbs/read.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';

/**
 * The rights that a reply was given by. They are stored with it, so that a user who lost them does not get it
 * again.
 */
export interface ReplyRights {
  readonly roles: readonly string[];
  /** The same text for the same User Permissions. */
  readonly restrictions: string;
  /**
   * Documents that the reply showed although the user may not read them: the user's own creations. `[doctype,
   * name]`
   */
  readonly unread: readonly (readonly [doctype: string, name: string])[];
  /** By doctype, for a reply with more than documents: it may reveal any readable document. */
  readonly sight?: Readonly<Record<string, Sight>>;
  /** For the same replies. */
  readonly shares?: Shares;
}

/** The number of shares that let the user read, and the time of their latest change. */
type Shares = readonly [count: number, latest: string];

/**
 * The reach of a user's rights on a doctype, and the fields hidden from the user; those of rows as
 * `table.field`.
 */
type Sight = readonly [reach: Reach, hidden: readonly string[]];

/** The rights behind a new reply. */
export async function rightsBehind(ctx: Context, body: string): Promise<ReplyRights> {
  const unread: (readonly [string, string])[] = [];
  const { documents, saysMore } = contentOf(ctx.doctypes, parsed(body));
  for (const shown of documents) {
    if (!(await mayRead(ctx, shown))) unread.push([shown.doctype, String(shown.name)]);
  }
  const rights = { roles: [...ctx.user.roles], restrictions: restrictionsOf(ctx.user), unread };
  if (!saysMore) return rights;
  return { ...rights, sight: Object.fromEntries(sightOf(ctx)), shares: await sharesOf(ctx) };
}

async function sharesOf({ db, user }: Context): Promise<Shares> {
  const row = await db.get(
    sql`select count(*) as "count", max("modified") as "latest" from "DocShare"
      where ("user" = ${user.name} or "everyone" = 1) and "read" = 1`,
  );
  return [Number(row?.['count']), String(row?.['latest'] ?? '')];
}

// A share that was changed or withdrawn since is missing among those as old as the latest was then.
async function hasLostShare({ db, user }: Context, [count, latest]: Shares): Promise<boolean> {
  if (count === 0) return false;
  const row = await db.get(
    sql`select count(*) as "count" from "DocShare"
      where ("user" = ${user.name} or "everyone" = 1) and "read" = 1 and "modified" <= ${latest}`,
  );
  return Number(row?.['count']) < count;
}

function sightOf({ user, doctypes }: Context): Map<string, Sight> {
  const sight = new Map<string, Sight>();
  for (const doctype of user.isAdministrator ? [] : doctypes.all()) {
    const reach = doctype.istable ? 'none' : reachOf(user, doctype, 'read');
    if (reach !== 'none') sight.set(doctype.name, [reach, hiddenFields(user, doctype, doctypes)]);
  }
  return sight;
}

function hiddenFields(user: CurrentUser, doctype: DocType, registry: DoctypeRegistry): string[] {
  const hiddenOf = (of: DocType, before: string) => {
    const readable = readableFields(user, of, doctype);
    return of.fields.flatMap(({ fieldname }) => (isIn(readable, fieldname) ? [] : [`${before}${fieldname}`]));
  };
  const ofRows = doctype.tables.flatMap(({ fieldname, options }) => {
    const child = registry.find(options);
    return child ? hiddenOf(child, `${fieldname}.`) : [];
  });
  return [...hiddenOf(doctype, ''), ...ofRows];
}

async function mayRead(ctx: Context, { doctype: doctypeName, name }: Document): Promise<boolean> {
  const doctype = ctx.doctypes.get(doctypeName);
  // Nobody creates a row without seeing its table.
  if (doctype.istable) return true;
  try {
    return await hasRightOn(ctx, doctype, String(name), 'read');
  } catch (error) {
    // The reply shows the document even though its controller cannot look it up now.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/**
 * The body of a stored reply as its user may see it now. It has the documents that the user may still read,
 * without fields above their permlevel; with nothing to withhold, the text is unchanged. The rest of the
 * reply needs all roles that the user had then, the same User Permissions, and the same sight of the
 * doctypes. For a deleted document, the check uses the reply's own copy.
 * @throws ServiceError PermissionError, as a read of the document
 */
export async function stillVisible(ctx: Context, body: string, rights: ReplyRights | null): Promise<string> {
  const reply = parsed(body);
  const { documents, saysMore } = contentOf(ctx.doctypes, reply);
  if (saysMore && rights && (await hasLost(ctx, rights))) {
    throw new ServiceError('PermissionError', 'You may no longer see the answer to this Idempotency-Key', {
      title: 'Not permitted',
    });
  }
  let isCut = false;
  for (const shown of documents) {
    const isUnread = rights?.unread.some(
      ([doctype, name]) => doctype === shown.doctype && name === String(shown.name),
    );
    if (!isUnread) await requireSight(ctx, shown);
    isCut = cutToLevel(ctx, shown) || isCut;
  }
  return isCut ? JSON.stringify(reply) : body;
}

interface Content {
  readonly documents: Document[];
  /** The reply has more than documents. */
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

// Its name may be a number on the wire.
function isDocument(registry: DoctypeRegistry, value: unknown): value is Document {
  if (!isRecord(value) || typeof value.doctype !== 'string') return false;
  if (typeof value.name !== 'string' && typeof value.name !== 'number') return false;
  return typeof value.docstatus === 'number' && registry.find(value.doctype) !== undefined;
}

async function hasLost(
  ctx: Context,
  { roles, restrictions, sight = {}, shares }: ReplyRights,
): Promise<boolean> {
  const { user } = ctx;
  if (restrictions !== restrictionsOf(user) || roles.some((role) => !user.roles.has(role))) return true;
  if (user.isAdministrator) return false;
  if (shares && (await hasLostShare(ctx, shares))) return true;
  const now = sightOf(ctx);
  return Object.entries(sight).some(([doctype, [reach, hidden]]) => {
    const [is, hides] = now.get(doctype) ?? ['none', []];
    return (is !== reach && is !== 'all') || hides.some((field) => !hidden.includes(field));
  });
}

function restrictionsOf({ grants }: CurrentUser): string {
  const entries = [...(grants?.permissions ?? [])].map((entry) => JSON.stringify(entry));
  return entries.length === 0 ? '' : entries.sort().join();
}

async function requireSight(ctx: Context, sent: Document): Promise<void> {
  const shown: Document = { ...sent, name: String(sent.name) };
  const doctype = ctx.doctypes.get(shown.doctype);
  if (await load(ctx, doctype, shown.name)) {
    await readDocument(ctx, shown.doctype, shown.name);
    return;
  }
  if (doctype.istable) {
    const parent = await readDocument(ctx, String(shown['parenttype']), String(shown['parent']));
    if (!Object.hasOwn(parent, String(shown['parentfield']))) throw notFound(doctype, shown.name);
    return;
  }
  requirePermission(ctx.user, doctype, 'read');
  await requireRight(ctx, doctype, 'read', shown);
}

/** Removes fields that the user may not read from a document; true when there were some. */
function cutToLevel(ctx: Context, shown: Document): boolean {
  const doctype = ctx.doctypes.get(shown.doctype);
  const parent = doctype.istable ? ctx.doctypes.get(String(shown['parenttype'])) : doctype;
  let isCut = cut(shown, doctype, ctx.user, parent);
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
