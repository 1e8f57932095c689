import type { Row } from '../../db/database.ts';
import { EMPTY, ident, type Sql, sql } from '../../db/sql.ts';
import type { DocType, IncomingLink } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Change } from '../change.ts';
import type { Context } from '../context.ts';
import { hasRightOn } from '../rights-on.ts';

/** Records about documents: they never keep one from being deleted. */
export const NEVER_BLOCKING: ReadonlySet<string> = new Set([
  'Access Log',
  'Activity Log',
  'Comment',
  'Communication',
  'DocShare',
  'Document Follow',
  'Document Share Key',
  'Email Queue',
  'Email Unsubscribe',
  'File',
  'Integration Request',
  'Notification Log',
  'Route History',
  'Tag Link',
  'ToDo',
  'Unhandled Email',
  'Version',
  'View Log',
  'Webhook Request Log',
  'Workspace',
]);

interface Referrer {
  readonly doctype: DocType;
  readonly name: string;
}

/**
 * Nothing points at the document any more. A deletion is blocked by every link, whatever the docstatus, and by Dynamic
 * Links of documents that are not cancelled; a cancellation only by submitted documents.
 * @throws ServiceError LinkExistsError naming the referrers the user may read
 */
export async function checkBackLinks(ctx: Context, change: Change): Promise<void> {
  const { doctype, doc } = change;
  const cancelling = change.action === 'cancel';
  const found: Referrer[] = [];
  for (const link of ctx.doctypes.linksTo(doctype.name)) {
    if (cancelling && link.field.fieldname === 'amended_from') continue;
    const condition = cancelling ? sql` and "docstatus" = ${1}` : EMPTY;
    await find(ctx, change, link, condition, found);
  }
  for (const link of ctx.doctypes.dynamicLinks()) {
    const target = sql` and ${ident(link.field.options)} = ${doctype.name}`;
    const condition = cancelling
      ? sql`${target} and "docstatus" = ${1}`
      : sql`${target} and "docstatus" <> ${2}`;
    await find(ctx, change, link, condition, found);
  }
  if (found.length === 0) return;
  const referrers = await readable(ctx, found);
  const shown = referrers.slice(0, LIMITS.linksNamed).map((one) => `${one.doctype.name} ${one.name}`);
  if (shown.length === 0) shown.push('documents that you may not read');
  else if (referrers.length > shown.length) shown.push('more');
  const canDisable = !cancelling && ['enabled', 'disabled'].some((name) => doctype.fieldByName.has(name));
  const advice = canDisable ? ` You can disable this ${doctype.name} instead of deleting it.` : '';
  throw new ServiceError(
    'LinkExistsError',
    `Cannot delete or cancel because ${doctype.name} ${doc.name} is linked with ${shown.join(', ')}.${advice}`,
  );
}

async function find(
  ctx: Context,
  change: Change,
  link: IncomingLink,
  condition: Sql,
  found: Referrer[],
): Promise<void> {
  const { doctype, field } = link;
  if (doctype.is_virtual || NEVER_BLOCKING.has(doctype.name) || found.length > LIMITS.linksNamed) return;
  const columns = doctype.istable ? sql`distinct "parenttype", "parent"` : sql`"name"`;
  const { doc } = change;
  let others = condition;
  if (doctype.istable) {
    others = sql` and not ("parenttype" = ${doc.doctype} and "parent" = ${doc.name})${condition}`;
  } else if (doctype === change.doctype) others = sql` and "name" <> ${doc.name}${condition}`;
  const rows = await ctx.db.all(
    sql`select ${columns} from ${ident(doctype.name)}
        where ${ident(field.fieldname)} = ${doc.name}${others}
        limit ${LIMITS.linksNamed + 1}`,
  );
  for (const row of rows) {
    const referrer = referrerOf(ctx, doctype, row);
    if (referrer && !found.some((one) => one.doctype === referrer.doctype && one.name === referrer.name)) {
      found.push(referrer);
    }
  }
}

/** A child row stands for its parent. */
function referrerOf(ctx: Context, doctype: DocType, row: Row): Referrer | null {
  if (!doctype.istable) return { doctype, name: String(row['name']) };
  const parent = ctx.doctypes.find(String(row['parenttype']));
  if (!parent || NEVER_BLOCKING.has(parent.name)) return null;
  return { doctype: parent, name: String(row['parent']) };
}

async function readable(ctx: Context, referrers: readonly Referrer[]): Promise<Referrer[]> {
  const kept: Referrer[] = [];
  for (const one of referrers) {
    if (await hasRightOn(ctx, one.doctype, one.name, 'read')) kept.push(one);
  }
  return kept;
}
