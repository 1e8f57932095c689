import { isDoctypeInScope } from '../access/key-scope.ts';
import { allows } from '../access/permission.ts';
import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocType, Document, Right } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import { readableRows } from '../document/list.ts';
import { carriesFiles, mayAccessTarget } from './attachment.ts';

/**
 * What a user may do with one File, after roles allowed it in general: everything with their own; read what is public;
 * otherwise what they may do with the document it is attached to: reading takes read, everything else takes write.
 */
export async function mayAccessFile(ctx: Context, file: Document, right: Right): Promise<boolean> {
  const { attached_to_doctype: holder } = file;
  if (typeof holder === 'string' && !isDoctypeInScope(ctx.user, holder)) return false;
  // Creating is checked by the controller, which knows what the new File claims.
  if (ctx.user.isAdministrator || right === 'create') return true;
  const reading = READING.has(right);
  if (reading && file.is_private === 0) return true;
  if (file.owner === ctx.user.name && !ctx.user.isGuest) return true;
  const { attached_to_doctype: doctypeName, attached_to_name: name } = file;
  if (typeof doctypeName !== 'string' || typeof name !== 'string') return false;
  return mayAccessTarget(ctx, doctypeName, name, reading ? 'read' : 'write');
}

const READING: ReadonlySet<Right> = new Set<Right>(['read', 'select', 'report', 'export', 'print', 'email']);

/** The same for lists. */
export function fileRowFilter(ctx: Context): Sql | null {
  const inScope = scopeFilter(ctx);
  if (ctx.user.isAdministrator) return inScope;
  const conditions = [sql`is_private = 0`, sql`owner = ${ctx.user.name}`];
  const readable: Sql[] = [];
  for (const doctype of ctx.doctypes.all()) {
    if (!carriesFiles(doctype) || !allows(ctx.user, doctype, 'read')) continue;
    const rows = readableRows(ctx, doctype);
    if (doctype.issingle || doctype.rowsFrom !== 'table') {
      readable.push(sql`${doctype.name}`);
      continue;
    }
    const names = sql`select "name" from ${ident(doctype.name)} where ${rows ?? TRUE}${oneByOne(doctype)}`;
    conditions.push(sql`(attached_to_doctype = ${doctype.name} and attached_to_name in (${names}))`);
  }
  if (readable.length > 0) {
    conditions.push(sql`(attached_to_doctype in (${join(readable)}) and attached_to_name is not null)`);
  }
  const allowed = sql`(${join(conditions, ' or ')})`;
  return inScope ? sql`${inScope} and ${allowed}` : allowed;
}

const TRUE = sql`1 = 1`;

// Looked up for each file, instead of all documents of the doctype being gathered first, unless the name would mean another column.
function oneByOne(doctype: DocType): Sql {
  return doctype.fieldByName.has('attached_to_name') ? EMPTY : sql` and "name" = attached_to_name`;
}

// What belongs to documents that the credential is not for is not for it either.
function scopeFilter({ user }: Context): Sql | null {
  const doctypes = user.scope?.doctypes;
  if (!doctypes) return null;
  const names = join([...doctypes].map((name) => sql`${name}`));
  return sql`(attached_to_doctype is null or attached_to_doctype = '' or attached_to_doctype in (${names}))`;
}
