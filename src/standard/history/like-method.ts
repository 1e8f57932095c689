import { sql } from '../../db/sql.ts';
import type { Context, Method } from '../../document/contract.ts';
import { deleteDocument } from '../../document/verbs/delete.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { commentAutomatically, inOwnName } from './comment.ts';
import { type Marked, openMarked, usersIn, usersText, writeSide } from './side.ts';

/** Likes of a document: `_liked_by`, with a comment for each. They require the read right. */
export const likeMethods: Readonly<Record<string, Method>> = {
  'frappe.desk.like.toggle_like': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Like a document, or withdraw a like',
    args: {
      doctype: { type: 'Data', required: true },
      name: { type: 'Data', required: true },
      add: { type: 'Data', description: 'Yes or No; default: No' },
    },
    async run(ctx, { doctype, name, add }) {
      const marked = await openMarked(ctx, doctype, name, 'read');
      const stored = usersIn(marked, '_liked_by');
      const { name: user } = ctx.user;
      const likes = /^(?:yes|true|1)$/i.test(add ?? '');
      if (stored.includes(user) === likes) return null;
      const users = likes ? [...stored, user] : stored.filter((one) => one !== user);
      if (users.length > LIMITS.likes) {
        throw new ServiceError('ValidationError', `A document can have at most ${LIMITS.likes} likes`);
      }
      await writeSide(ctx, marked, '_liked_by', usersText(users));
      await (likes ? announceLike : withdrawLike)(ctx, marked);
      return null;
    },
  }),
};

function announceLike(ctx: Context, { doctype, doc }: Marked): Promise<void> {
  return commentAutomatically(ctx, doctype.name, doc.name, 'Like', 'Liked');
}

async function withdrawLike(ctx: Context, { doctype, doc }: Marked): Promise<void> {
  const likes = await ctx.db.all(
    sql`select "name" from "Comment" where "reference_name" = ${doc.name} and "reference_doctype" = ${doctype.name}
        and "comment_type" = 'Like' and "owner" = ${ctx.user.name}`,
  );
  for (const like of likes) await deleteDocument(inOwnName(ctx), 'Comment', String(like['name']));
}
