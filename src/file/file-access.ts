import { judge } from '../access/judge.ts';
import { ruleOf } from '../access/row-rule.ts';
import { sql } from '../db/sql.ts';
import type { Document, Right } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { hasRightOn } from '../document/load/rights-on.ts';
import { mayAccessFile } from './file-permission.ts';

// Few File documents share a url; the user's own come first.
const FILES_LOOKED_AT = 200;

/** The File documents that share a url, as many as permission checks need; the user's own first. */
export async function filesOf(ctx: Context, url: string): Promise<Document[]> {
  const rows = await ctx.db.all(
    sql`select name, owner, is_private, attached_to_doctype, attached_to_name, attached_to_field from "File"
      where file_url = ${url}
      order by case when owner = ${ctx.user.name} then 0 else 1 end, name
      limit ${FILES_LOOKED_AT}`,
  );
  return rows as Document[];
}

/** True when roles and the rule for one File both allow it. */
export async function hasRight(ctx: Context, file: Document, right: Right): Promise<boolean> {
  const doctype = ctx.doctypes.get('File');
  const rule = ruleOf(ctx.user, doctype, right, ctx.doctypes);
  // Fields that rules use are loaded only when a User Permission concerns files.
  if (rule && rule.restrictions.length > 0) return hasRightOn(ctx, doctype, file.name, right);
  const isReached = rule === null || (await judge(ctx.db, rule, file)).allowed;
  return isReached && (await mayAccessFile(ctx, file, right));
}

/** True when the user may read the bytes that these File documents share. Guests read no private ones. */
export async function mayReadAny(ctx: Context, files: readonly Document[]): Promise<boolean> {
  for (const file of files) {
    if (ctx.user.isGuest && file.is_private !== 0) continue;
    // A hidden field of a public File hides the document it is attached to, but not its bytes.
    const asked = file.is_private === 0 ? { ...file, attached_to_field: null } : file;
    if (await hasRight(ctx, asked, 'read')) return true;
  }
  return false;
}

/** True when the user may write all of these File documents, and so change their bytes. */
export async function mayWriteAll(ctx: Context, files: readonly Document[]): Promise<boolean> {
  for (const file of files) if (!(await hasRight(ctx, file, 'write'))) return false;
  return files.length < FILES_LOOKED_AT;
}
