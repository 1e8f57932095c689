import { SHARE_RIGHTS, type ShareRight } from '../access/grants.ts';
import { refusal } from '../access/permission.ts';
import { sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import type { Context, Controller, Hook, Method } from '../document/contract.ts';
import { load } from '../document/load/load.ts';
import { hasRightOn } from '../document/load/rights-on.ts';
import { createDocument } from '../document/verbs/create.ts';
import { deleteDocument } from '../document/verbs/delete.ts';
import { defineMethod } from '../document/verbs/method.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { inOwnName } from './history/comment.ts';
import { announceMark } from './history/side.ts';

/**
 * Shares. A share opens one document to one user or to all signed-in users, with some of the sharing user's
 * rights.
 */
export const docShareController: Controller = {
  async validate(doc, ctx, { before }) {
    doc['read'] = 1;
    if (doc['everyone'] === 1) doc['user'] = null;
    else if (!doc['user'])
      throw new ServiceError('MandatoryError', 'A share must name either a user or everyone');
    if (doc['user'] === 'Guest' || doc['user'] === 'Administrator') {
      throw new ServiceError('ValidationError', `Documents cannot be shared with ${doc['user']}`);
    }
    const doctype = shareable(ctx, String(doc['share_doctype']));
    if (doc['submit'] === 1 && !doctype.is_submittable) {
      throw new ServiceError('ValidationError', `${doctype.name} is not submittable`);
    }
    const isMoved = before?.['user'] !== doc['user'] || before?.['everyone'] !== doc['everyone'];
    const given = SHARE_RIGHTS.filter((right) => doc[right] === 1 && (isMoved || before?.[right] !== 1));
    await requireSharing(ctx, doctype, String(doc['share_name']), given);
    if (await shareOf(ctx, { ...doc }, doc.name)) {
      throw new ServiceError('DuplicateEntryError', 'The document already has this share');
    }
  },

  onTrash: (doc, ctx) => {
    const doctype = ctx.doctypes.find(String(doc['share_doctype']));
    return doctype ? requireSharing(ctx, doctype, String(doc['share_name']), []) : undefined;
  },

  onChange: announceShare,
};

async function announceShare(doc: Document, ctx: Context): Promise<void> {
  const doctype = ctx.doctypes.find(String(doc['share_doctype']));
  const loaded = doctype && (await load(ctx, doctype, String(doc['share_name'])));
  if (loaded) announceMark(ctx, { doctype, ...loaded });
}

/** Deletes the shares of a deleted document, and the shares with a deleted user. */
export const dropShares: Hook = async (doc, ctx, change) => {
  if (change.doctype.istable || change.doctype.is_virtual) return;
  await ctx.db.run(
    sql`delete from "DocShare" where "share_name" = ${doc.name} and "share_doctype" = ${doc.doctype}`,
  );
  if (doc.doctype === 'User') await ctx.db.run(sql`delete from "DocShare" where "user" = ${doc.name}`);
};

function shareable(ctx: Context, doctypeName: string): DocType {
  const doctype = ctx.doctypes.get(doctypeName);
  if (!doctype.istable && !doctype.issingle && !doctype.is_virtual && doctype.name !== 'DocShare')
    return doctype;
  throw new ServiceError('ValidationError', `${doctype.name} cannot be shared`);
}

// Users may share only rights that they have. Otherwise, a user with `share` alone could share a document
// with themselves to write it.
async function requireSharing(
  ctx: Context,
  doctype: DocType,
  name: string,
  given: readonly ShareRight[],
): Promise<void> {
  for (const right of new Set<ShareRight>(['share', ...given])) {
    if (!(await hasRightOn(ctx, doctype, name, right))) throw refusal(doctype, right);
  }
}

async function shareOf(ctx: Context, of: Fields, besides = ''): Promise<string | null> {
  const whom = of.everyone === 1 ? sql`"everyone" = 1` : sql`"user" = ${String(of.user)}`;
  const row = await ctx.db.get(
    sql`select "name" from "DocShare" where "share_doctype" = ${String(of.share_doctype)}
        and "share_name" = ${String(of.share_name)} and ${whom} and "name" <> ${besides}`,
  );
  return row ? String(row['name']) : null;
}

const OF = {
  doctype: { type: 'Data', required: true },
  name: { type: 'Data', required: true },
} as const;
const WITH = {
  ...OF,
  user: { type: 'Data', description: 'The user to share with' },
  everyone: { type: 'Check', description: 'Share with every signed-in user instead' },
} as const;

/**
 * Sharing methods of Frappe's clients. They require the share right on the document, and each shared right.
 */
export const shareMethods: Readonly<Record<string, Method>> = {
  'frappe.share.add': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Share a document with a user or everyone; replaces the former rights of the share',
    args: {
      ...WITH,
      read: { type: 'Check', default: true, description: 'Always granted' },
      write: { type: 'Check' },
      submit: { type: 'Check' },
      share: { type: 'Check' },
      notify: { type: 'JSON', description: 'No effect' },
    },
    async run(ctx, { doctype, name, user, everyone, write, submit, share }) {
      const flags = { write: Number(write), submit: Number(submit), share: Number(share) };
      return putShare(ctx, { doctype, name, user, everyone }, flags);
    },
  }),

  'frappe.share.set_permission': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Add or remove one right of a share; removing read ends the share',
    args: {
      ...WITH,
      permission_to: { type: 'Select', options: SHARE_RIGHTS, required: true },
      value: { type: 'Check', default: true },
    },
    async run(ctx, { doctype, name, user, everyone, permission_to: right, value }) {
      const of = { doctype, name, user, everyone };
      if (value) return putShare(ctx, of, { [right]: 1 });
      if (right === 'read') return endShare(ctx, of);
      return (await findShare(ctx, of)) === null ? {} : putShare(ctx, of, { [right]: 0 });
    },
  }),

  'frappe.share.remove': defineMethod({
    http: ['POST', 'DELETE'],
    description: 'End a share',
    args: WITH,
    run: endShare,
  }),

  'frappe.share.get_users': defineMethod({
    http: ['GET', 'POST'],
    description: 'List the users that a document is shared with; requires the right to read it',
    args: OF,
    async run(ctx, { doctype: doctypeName, name }) {
      const doctype = shareable(ctx, doctypeName);
      if (!(await hasRightOn(ctx, doctype, name, 'read'))) throw refusal(doctype, 'read');
      return ctx.db.all(
        sql`select "name", "user", "read", "write", "submit", "share", "everyone", "owner", "creation" from "DocShare"
            where "share_doctype" = ${doctype.name} and "share_name" = ${name} order by "creation", "name"`,
      );
    },
  }),
};

interface ShareArguments {
  readonly doctype: string;
  readonly name: string;
  readonly user: string | null;
  readonly everyone: boolean;
}

function sharedBy({ doctype, name, user, everyone }: ShareArguments) {
  if (!everyone && !user)
    throw new ServiceError('MandatoryError', 'A share must name either a user or everyone');
  return {
    share_doctype: doctype,
    share_name: name,
    user: everyone ? null : user,
    everyone: Number(everyone),
  };
}

async function putShare(ctx: Context, of: ShareArguments, flags: Fields): Promise<Document> {
  const shared = sharedBy(of);
  const name = await findShare(
    ctx,
    of,
    SHARE_RIGHTS.filter((right) => flags[right] === 1),
  );
  // Few users have rights on the records of shares; the rights on the document are checked already.
  const acting = inOwnName(ctx);
  return name === null
    ? createDocument(acting, 'DocShare', { ...shared, ...flags })
    : updateDocument(acting, 'DocShare', name, flags);
}

/** Opens a document to one more reader. The acting user must have the right to share it. */
export async function shareReading(ctx: Context, { doctype, name }: Document, user: string): Promise<void> {
  await putShare(ctx, { doctype, name, user, everyone: false }, {});
}

async function endShare(ctx: Context, of: ShareArguments): Promise<Fields> {
  const name = await findShare(ctx, of);
  if (name !== null) await deleteDocument(inOwnName(ctx), 'DocShare', name);
  return {};
}

// The name of the share. Checks that the user may share the document and give these rights.
async function findShare(
  ctx: Context,
  of: ShareArguments,
  given: readonly ShareRight[] = [],
): Promise<string | null> {
  await requireSharing(ctx, shareable(ctx, of.doctype), of.name, given);
  return shareOf(ctx, sharedBy(of));
}
