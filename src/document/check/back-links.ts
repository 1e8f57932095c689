import { EMPTY, ident, type Sql, sql } from '../../db/sql.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Change } from '../change.ts';
import type { Context } from '../contract.ts';
import { besides, besidesRows } from '../leaving.ts';
import {
  knownReferrers,
  NEVER_BLOCKING,
  namesTarget,
  type ReferringLink,
  referringLinks,
} from '../list/referrers.ts';
import { hasRightOn } from '../load/rights-on.ts';

/**
 * Checks that nothing links to the document. A deletion is blocked by every link, whatever the docstatus, and
 * by Dynamic Links of documents that are not cancelled; a cancellation only by submitted documents.
 * @throws ServiceError LinkExistsError naming the referrers that the user may know of, without any hint of
 * others
 */
export async function checkBackLinks(ctx: Context, change: Change): Promise<void> {
  if (!(await isReferredTo(ctx, change))) return;
  throw await linkedError(ctx, change);
}

/** The error for a document that others link to, naming those that the user may know of. */
export async function linkedError(ctx: Context, change: Change): Promise<ServiceError> {
  const { doctype, doc } = change;
  const shown = await namesOfReferrers(ctx, change);
  if (shown.length === 0) shown.push('documents that you may not read');
  else if (shown.length > LIMITS.linksNamed) shown.splice(LIMITS.linksNamed, shown.length, 'more');
  const canDisable =
    change.action !== 'cancel' && ['enabled', 'disabled'].some((name) => doctype.fieldByName.has(name));
  const advice = canDisable ? ` You can disable this ${doctype.name} instead of deleting it.` : '';
  return new ServiceError(
    'LinkExistsError',
    `Cannot delete or cancel because ${doctype.name} ${doc.name} is linked with ${shown.join(', ')}.${advice}`,
  );
}

/** The condition for rows with a link that block the change; null when the link never blocks. */
function blocking(change: Change, { field, typeField }: ReferringLink): Sql | null {
  if (change.action === 'cancel') {
    return typeField === null && field.fieldname === 'amended_from' ? null : sql` and "docstatus" = ${1}`;
  }
  return typeField === null ? EMPTY : sql` and "docstatus" <> ${2}`;
}

async function isReferredTo(ctx: Context, change: Change): Promise<boolean> {
  for (const link of referringLinks(ctx, change.doctype.name)) {
    const condition = blocking(change, link);
    if (condition !== null && (await blocks(ctx, change, link, condition))) return true;
  }
  return false;
}

async function blocks(ctx: Context, { doc }: Change, link: ReferringLink, condition: Sql): Promise<boolean> {
  const { doctype } = link;
  const pointing = sql`from ${ident(doctype.name)} where ${namesTarget(link, doc)}${condition}`;
  if (!doctype.istable) {
    const found = await ctx.db.get(
      sql`select 1 as "one" ${pointing}${besides(ctx, doctype.name, doc)} limit 1`,
    );
    return found !== undefined;
  }
  // A child row counts as its parent.
  const rows = await ctx.db.all(sql`select distinct "parenttype" ${pointing}${besidesRows(ctx, doc)}`);
  return rows.some((row) => {
    const parent = ctx.doctypes.find(String(row['parenttype']));
    return parent !== undefined && !NEVER_BLOCKING.has(parent.name);
  });
}

/** One more than can be named, to show that there are more. */
async function namesOfReferrers(ctx: Context, change: Change): Promise<string[]> {
  const named: string[] = [];
  for (const [doctype, condition] of knownReferrers(ctx, change.doc, (link) => blocking(change, link))) {
    if (named.length > LIMITS.linksNamed) break;
    const rows = await ctx.db.all(
      sql`select "name" from ${ident(doctype.name)} where ${condition}
          order by "name" limit ${LIMITS.linksNamed + 1}`,
    );
    for (const row of rows) {
      const name = String(row['name']);
      // A controller may hide documents that no condition on rows excludes.
      if (await hasRightOn(ctx, doctype, name, 'read')) named.push(`${doctype.name} ${name}`);
    }
  }
  return named;
}
