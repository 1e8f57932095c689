import { isDoctypeInScope } from '../access/key-scope.ts';
import { allows } from '../access/permission.ts';
import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry, Document, Right } from '../doctype/doctype.ts';
import { nameInText, nameText } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { textOf } from '../document/document.ts';
import { readableRows } from '../document/list/list.ts';
import { memo2 } from '../kernel/memo.ts';
import { isHiddenField, mayReadField, mayWriteField, namesByReading } from './attached-field.ts';
import { carriesFiles, mayAccessTarget } from './attachment.ts';

/**
 * The rights of a user on one File, after roles allowed it in general: all on their own; reading public ones;
 * otherwise by the document it is attached to: reading needs read, everything else read and write, because a
 * user who may change a File could publish it. A File attached to a field also has the permlevel of that
 * field; without that field it is for its owner and Administrator. A public File does not reveal a hidden
 * field, though its bytes are public.
 */
export async function mayAccessFile(ctx: Context, file: Document, right: Right): Promise<boolean> {
  const { attached_to_doctype: doctypeName, attached_to_name: name } = file;
  if (typeof doctypeName === 'string' && !isDoctypeInScope(ctx.user, doctypeName)) return false;
  // The controller checks creation, because it knows the claims of the new File.
  if (ctx.user.isAdministrator || right === 'create') return true;
  if (file.owner === ctx.user.name && !ctx.user.isGuest) return true;
  const reading = READING.has(right);
  if (!reading && !(await mayAccessFile(ctx, file, 'read'))) return false;
  const doctype = typeof doctypeName === 'string' ? ctx.doctypes.find(doctypeName) : undefined;
  const field = textOf(file, 'attached_to_field');
  if (reading && file.is_private === 0)
    return !doctype || !isHiddenField(ctx.doctypes, ctx.user, doctype, field);
  if (!doctype || typeof name !== 'string') return false;
  if (field !== '') {
    const mayUse = reading ? mayReadField : mayWriteField;
    if (!mayUse(ctx.doctypes, ctx.user, doctype, field)) return false;
  }
  return mayAccessTarget(ctx, doctype.name, name, reading ? 'read' : 'write');
}

const READING: ReadonlySet<Right> = new Set<Right>(['read', 'select', 'report', 'export', 'print', 'email']);

/** The same for lists. */
export function fileRowFilter(ctx: Context): Sql | null {
  const inScope = scopeFilter(ctx);
  if (ctx.user.isAdministrator) return inScope;
  const conditions = [sql`owner = ${ctx.user.name}`];
  const hidden: Sql[] = [];
  for (const doctype of ctx.doctypes.all()) {
    const fields = fieldsOf(ctx, doctype);
    if (fields.hidden !== '') {
      hidden.push(sql`(attached_to_doctype = ${doctype.name} and ${isAmong(fields.hidden)})`);
    }
    if (!carriesFiles(doctype) || !allows(ctx.user, doctype, 'read')) continue;
    const rows = readableRows(ctx, doctype);
    const isTable = !doctype.issingle && doctype.rowsFrom === 'table';
    const named = isTable
      ? sql`in (select ${nameText(doctype)} from ${ident(doctype.name)} where ${rows ?? TRUE}${oneByOne(doctype, ctx.db.dialect)})`
      : sql`is not null`;
    conditions.push(sql`(attached_to_doctype = ${doctype.name} and attached_to_name ${named}
      and (${NO_FIELD} or ${isAmong(fields.readable)}))`);
  }
  const inHidden = sql`attached_to_field is not null and attached_to_doctype is not null and (${join(hidden, ' or ')})`;
  conditions.push(hidden.length === 0 ? sql`is_private = 0` : sql`(is_private = 0 and not (${inHidden}))`);
  const allowed = sql`(${join(conditions, ' or ')})`;
  return inScope ? sql`${inScope} and ${allowed}` : allowed;
}

const TRUE = sql`1 = 1`;
const NO_FIELD = sql`attached_to_field is null or attached_to_field = ''`;

/** Names of fields in one value, so that a statement stays short: `\nphoto\npages.scan\n`. */
interface FieldTexts {
  readonly readable: string;
  readonly hidden: string;
}

function fieldsOf({ doctypes, user }: Context, doctype: DocType): FieldTexts {
  const byRoles = textsOf(doctypes, doctype);
  let found = byRoles.get(user.roles);
  if (!found) {
    const { readable, hidden } = namesByReading(doctypes, user, doctype);
    found = { readable: lines(readable), hidden: lines(hidden) };
    byRoles.set(user.roles, found);
  }
  return found;
}

const textsOf = memo2(
  (_: DoctypeRegistry, _doctype: DocType) => new WeakMap<ReadonlySet<string>, FieldTexts>(),
);

function lines(names: readonly string[]): string {
  return names.length === 0 ? '' : `\n${names.join('\n')}\n`;
}

function isAmong(names: string): Sql {
  return sql`replace(${names}, ${'\n'} || attached_to_field || ${'\n'}, '') <> ${names}`;
}

// Looks documents up per file instead of collecting all of the doctype, unless a column name is ambiguous.
function oneByOne(doctype: DocType, dialect: Dialect): Sql {
  if (doctype.fieldByName.has('attached_to_name')) return EMPTY;
  return sql` and "name" = ${nameInText(doctype, sql`attached_to_name`, dialect)}`;
}

// A credential limited to doctypes is limited to files of their documents, too.
function scopeFilter({ user }: Context): Sql | null {
  const doctypes = user.scope?.doctypes;
  if (!doctypes) return null;
  const names = join([...doctypes].map((name) => sql`${name}`));
  return sql`(attached_to_doctype is null or attached_to_doctype = '' or attached_to_doctype in (${names}))`;
}
