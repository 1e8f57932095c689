import { allows } from '../../access/permission.ts';
import { ident, sql } from '../../db/sql.ts';
import type { ChildRow, DocField, DocType, Document, OnDelete, Right } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Change } from '../change.ts';
import { linkedError } from '../check/back-links.ts';
import type { Context } from '../contract.ts';
import { textOf } from '../document.ts';
import {
  addLeaving,
  besides,
  besidesRows,
  isAmong,
  isLeaving,
  leavingOf,
  type Named,
  removeLeaving,
} from '../leaving.ts';
import { isKnown, NEVER_BLOCKING, type ReferringLink, referringLinks, rowsWith } from '../list/referrers.ts';
import { lockDocument } from '../load/load.ts';
import { hasRight } from '../load/rights-on.ts';

/** A document that a deletion empties or deletes. */
export interface Affected extends Named {
  readonly effect: 'emptied' | 'deleted';
  /** The user may know that its links lead to the document to delete. */
  readonly isKnown: boolean;
}

type Target = Omit<Affected, 'effect'>;

/**
 * Finds and locks the documents that the deletion empties and deletes by the `on_delete` of their links,
 * directly and through each other; the deleted ones also count as leaving. The nearest come first. A level
 * is locked by doctype and name, and nobody can add links to locked documents, so that each level is
 * complete. Submitted documents are left out, and block the deletion.
 * @throws ServiceError PermissionError or LinkExistsError for a document that the user may not change or
 * delete; ValidationError above the limit
 */
export async function planLinks(ctx: Context, change: Change): Promise<Affected[]> {
  const planned = new Map<string, Affected>();
  try {
    await planLevels(ctx, change, planned);
  } catch (error) {
    for (const one of planned.values()) removeLeaving(ctx, one);
    throw error;
  }
  return [...planned.values()];
}

async function planLevels(ctx: Context, change: Change, planned: Map<string, Affected>): Promise<void> {
  const { doc } = change;
  let level: Target[] = [{ doctype: doc.doctype, name: doc.name, isKnown: true }];
  while (level.length > 0) {
    const next: Target[] = [];
    for (const found of await affectedBy(ctx, level)) {
      const key = JSON.stringify([found.doctype, found.name]);
      const other = planned.get(key);
      const one = other?.effect === found.effect ? null : await take(ctx, change, found);
      if (!one) continue;
      planned.set(key, one);
      if (!other) await count(ctx, change, one);
      if (one.effect === 'deleted') next.push(one);
    }
    for (const found of next) addLeaving(ctx, found);
    level = next;
  }
}

/** The documents that link to the targets, by doctype and name. */
async function affectedBy(ctx: Context, targets: readonly Target[]): Promise<Affected[]> {
  const found = new Map<string, Affected>();
  const add = (one: Affected) => {
    const key = JSON.stringify([one.doctype, one.name]);
    const other = found.get(key);
    const effect = other?.effect === 'deleted' ? 'deleted' : one.effect;
    found.set(key, { ...one, effect, isKnown: one.isKnown || other?.isKnown === true });
  };
  for (const isTargetKnown of [true, false]) {
    const some = targets.filter(({ isKnown }) => isKnown === isTargetKnown);
    for (const [doctypeName, group] of Map.groupBy(some, ({ doctype }) => doctype)) {
      const names = group.map(({ name }) => name);
      for (const link of referringLinks(ctx, doctypeName)) {
        if (link.field.on_delete === 'block') continue;
        for (const one of await affectedThrough(ctx, link, doctypeName, names)) {
          add({ ...one, isKnown: one.isKnown && isTargetKnown });
        }
      }
    }
  }
  return [...found.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
}

async function affectedThrough(
  ctx: Context,
  link: ReferringLink,
  targetDoctype: string,
  targets: readonly string[],
): Promise<Affected[]> {
  const { doctype, field, typeField } = link;
  const effect = field.on_delete === 'cascade' && !doctype.istable ? 'deleted' : 'emptied';
  const meant = typeField === null ? sql`` : sql` and ${ident(typeField)} = ${targetDoctype}`;
  const pointing = sql`from ${ident(doctype.name)}
    where ${isAmong(field.fieldname, targets)}${meant}${rowsWith(effect, link) ?? sql``}`;
  const most = LIMITS.linkedChanges + 1;
  const target = { doctype: targetDoctype, name: targets[0] ?? '' };
  if (!doctype.istable) {
    const rows = await ctx.db.all(
      sql`select "name" ${pointing}${besides(ctx, doctype.name, target)} order by "name" limit ${most}`,
    );
    const known = isKnown(ctx, link);
    return rows.map((row) => ({ doctype: doctype.name, name: String(row['name']), effect, isKnown: known }));
  }
  const rows = await ctx.db.all(
    sql`select distinct "parenttype", "parent", "parentfield" ${pointing}${besidesRows(ctx, target)}
        order by "parenttype", "parent", "parentfield" limit ${most}`,
  );
  return rows.flatMap((row) => {
    const parent = ctx.doctypes.find(String(row['parenttype']));
    if (!parent || parent.is_virtual || NEVER_BLOCKING.has(parent.name)) return [];
    const known = isKnown(ctx, link, { parent, table: String(row['parentfield']) });
    return { doctype: parent.name, name: String(row['parent']), effect, isKnown: known };
  });
}

/**
 * Locks the document and checks the user's right to it. Null when another transaction has meanwhile changed
 * or deleted it.
 */
async function take(ctx: Context, change: Change, found: Affected): Promise<Affected | null> {
  const doctype = ctx.doctypes.get(found.doctype);
  const isDeleted = found.effect === 'deleted';
  const stored = await lockDocument(ctx, doctype, found.name, isDeleted ? 'remove' : 'change');
  if (!stored || stored.doc.docstatus === 1) return null;
  if (isDeleted && leavingTargets(ctx, doctype, stored.doc, 'cascade').length === 0) return null;
  const may = async (right: Right) =>
    allows(ctx.user, doctype, right) && (await hasRight(ctx, doctype, right, stored.doc));
  const isKnown = found.isKnown && (await may('read'));
  const right = isDeleted ? 'delete' : 'write';
  if (await may(right)) return { ...found, isKnown };
  if (!isKnown) throw await linkedError(ctx, change);
  throw new ServiceError(
    'PermissionError',
    `Cannot delete ${change.doctype.name} ${change.doc.name}: you have no right to ${right} ${doctype.name} ${found.name}, which is linked with it`,
    { title: 'Not permitted' },
  );
}

async function count(ctx: Context, change: Change, found: Affected): Promise<void> {
  const leaving = leavingOf(ctx);
  leaving.affected += 1;
  if (leaving.affected <= LIMITS.linkedChanges) return;
  // The number of hidden links must not show.
  if (!found.isKnown) throw await linkedError(ctx, change);
  throw new ServiceError(
    'ValidationError',
    `Cannot delete ${change.doctype.name} ${change.doc.name}: more than ${LIMITS.linkedChanges} documents would be emptied or deleted with it`,
  );
}

/** The links of a document or row, with this `on_delete`, to documents that are being deleted. */
export function leavingTargets(
  ctx: Context,
  doctype: DocType,
  holder: Document | ChildRow,
  onDelete: OnDelete,
): DocField[] {
  const isGoing = (field: DocField, target: string) =>
    field.on_delete === onDelete &&
    isLeaving(ctx, { doctype: target, name: textOf(holder, field.fieldname) });
  return [
    ...doctype.links.filter((field) => isGoing(field, field.options)),
    ...doctype.dynamicLinks.filter((field) => isGoing(field, textOf(holder, field.options))),
  ];
}
