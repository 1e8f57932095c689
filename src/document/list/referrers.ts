import { mayLearn, type RowsOf } from '../../access/field-level.ts';
import { allows } from '../../access/permission.ts';
import { EMPTY, ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocField, DocType, IncomingLink } from '../../doctype/doctype.ts';
import { nameText } from '../../doctype/numbered.ts';
import type { Context } from '../contract.ts';
import { besides, type Named } from '../leaving.ts';
import { readableRows } from './list.ts';

/** Doctypes of records that the system writes about documents. */
export const LOGS: ReadonlySet<string> = new Set([
  'Access Log',
  'Activity Log',
  'Document Follow',
  'Email Queue',
  'Email Unsubscribe',
  'Integration Request',
  'Notification Log',
  'Route History',
  'Unhandled Email',
  'Version',
  'View Log',
  'Webhook Request Log',
]);

/** Doctypes of records about documents: they never block a deletion. */
export const NEVER_BLOCKING: ReadonlySet<string> = new Set([
  ...LOGS,
  'Comment',
  'Communication',
  'DocShare',
  'Document Share Key',
  'File',
  'Tag Link',
  'ToDo',
  'Workspace',
]);

/** A field that may name the target. */
export interface ReferringLink extends IncomingLink {
  /** For a Dynamic Link, the field that names the doctype; null for a Link. */
  readonly typeField: string | null;
}

/** Every Link to a doctype and every Dynamic Link, in doctypes with tables of their own. */
export function referringLinks(ctx: Context, doctypeName: string): ReferringLink[] {
  return [
    ...ctx.doctypes.linksTo(doctypeName).map((link) => ({ ...link, typeField: null })),
    ...ctx.doctypes.dynamicLinks().map((link) => ({ ...link, typeField: link.field.options })),
  ].filter(({ doctype }) => !doctype.is_virtual && !NEVER_BLOCKING.has(doctype.name));
}

/**
 * What a deletion does to a document that links to the deleted one, the strongest first: the first that one
 * of its links has applies. A row counts as its document.
 */
export const LINK_EFFECTS = ['deleted', 'blocks', 'emptied', 'unaffected'] as const;
export type LinkEffect = (typeof LINK_EFFECTS)[number];

/**
 * The condition for rows of the link's doctype to which a deletion of their target does this, by `on_delete`
 * and docstatus; null for none. Submitted documents block. So do cancelled ones, except for Dynamic Links,
 * unless they are deleted themselves.
 */
export function rowsWith(
  effect: LinkEffect,
  { doctype, field: { on_delete }, typeField }: ReferringLink,
): Sql | null {
  const isDeleted = on_delete === 'cascade' && !doctype.istable;
  if (effect === 'deleted') return isDeleted ? sql` and "docstatus" <> ${1}` : null;
  if (effect === 'emptied') return isDeleted || on_delete === 'block' ? null : sql` and "docstatus" = ${0}`;
  if (effect === 'unaffected') return null;
  if (isDeleted) return sql` and "docstatus" = ${1}`;
  if (on_delete === 'block') return typeField === null ? EMPTY : sql` and "docstatus" <> ${2}`;
  return typeField === null ? sql` and "docstatus" <> ${0}` : sql` and "docstatus" = ${1}`;
}

/** The condition for rows of the link's doctype that name the target. */
export function namesTarget({ field, typeField }: ReferringLink, target: Named): Sql {
  const meant = typeField === null ? EMPTY : sql` and ${ident(typeField)} = ${target.doctype}`;
  return sql`${ident(field.fieldname)} = ${target.name}${meant}`;
}

/**
 * The documents that link to the target and that the user may know of: those they may read, through fields
 * whose value they may know. A condition on the rows of each doctype, without the target itself and documents
 * that are being deleted. `among`
 * restricts which rows of a link count; null for a link that does not count.
 */
export function knownReferrers(
  ctx: Context,
  target: Named,
  among: (link: ReferringLink) => Sql | null = () => EMPTY,
): Map<DocType, Sql> {
  const found = new Map<DocType, Sql[]>();
  for (const link of referringLinks(ctx, target.doctype)) {
    const more = among(link);
    if (more === null) continue;
    const condition = sql`${namesTarget(link, target)}${more}`;
    if (!link.doctype.istable) {
      if (isKnown(ctx, link)) add(found, link.doctype, condition);
      continue;
    }
    for (const { doctype: parent, field: table } of ctx.doctypes.parentsOf(link.doctype.name)) {
      if (parent.is_virtual || NEVER_BLOCKING.has(parent.name)) continue;
      if (!isKnown(ctx, link, { parent, table: table.fieldname })) continue;
      add(found, parent, holdsRow(link.doctype, parent, table, condition));
    }
  }
  const known = new Map<DocType, Sql>();
  for (const [doctype, conditions] of found) {
    if (allows(ctx.user, doctype, 'read')) known.set(doctype, whole(ctx, doctype, conditions, target));
  }
  return known;
}

/** Whether the user may know the values of a link in documents that they may read. */
export function isKnown(
  ctx: Context,
  { doctype, field, typeField }: ReferringLink,
  rowsOf?: RowsOf,
): boolean {
  if (!mayLearn(ctx.user, doctype, field.fieldname, rowsOf)) return false;
  return typeField === null || mayLearn(ctx.user, doctype, typeField, rowsOf);
}

function add(found: Map<DocType, Sql[]>, doctype: DocType, condition: Sql): void {
  const conditions = found.get(doctype);
  if (conditions) conditions.push(condition);
  else found.set(doctype, [condition]);
}

function holdsRow(child: DocType, parent: DocType, table: DocField, condition: Sql): Sql {
  return sql`${nameText(parent)} in (select "parent" from ${ident(child.name)}
    where "parenttype" = ${parent.name} and "parentfield" = ${table.fieldname} and ${condition})`;
}

function whole(ctx: Context, doctype: DocType, conditions: readonly Sql[], target: Named): Sql {
  const any = join(
    conditions.map((condition) => sql`(${condition})`),
    ' or ',
  );
  const readable = readableRows(ctx, doctype);
  return sql`(${any})${besides(ctx, doctype.name, target)}${readable ? sql` and (${readable})` : EMPTY}`;
}
