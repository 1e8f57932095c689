import { type Lockout, lockouts } from '../../../access/lockout.ts';
import { type DocPerm, type DocType, RIGHTS } from '../../../doctype/doctype.ts';
import type { Context } from '../../../document/contract.ts';
import { createDocument } from '../../../document/verbs/create.ts';
import { deleteDocument } from '../../../document/verbs/delete.ts';
import { updateDocument } from '../../../document/verbs/update.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Metadata } from '../definitions/metadata.ts';
import {
  isCustomizable,
  isSame,
  keyOf,
  loadPermissionRows,
  mergedRows,
  type StoredRows,
} from '../definitions/permission-rows.ts';
import { takeTurn } from './doctype-turn.ts';

type Rows = readonly DocPerm[];

/** New permission rows of a doctype, made from those in force and those of its definition. */
export interface PermissionEdit {
  readonly doctype: string;
  rows(current: Rows, shipped: Rows): Rows;
}

export interface EditOptions {
  /** Saves although somebody would be locked out. */
  readonly isConfirmed: boolean;
  /** Only says who would be locked out. */
  readonly isTrial: boolean;
}

/**
 * Changes the permissions of doctypes on this site in the transaction of `ctx`, all or none, with the user's
 * rights on Custom DocPerm. A doctype whose rows equal those of its definition follows the definition again.
 * Resolves to the warnings.
 * @throws ServiceError ValidationError, also for an unconfirmed warning
 */
export async function editPermissions(
  ctx: Context,
  metadata: Metadata,
  edits: readonly PermissionEdit[],
  { isConfirmed, isTrial }: EditOptions,
): Promise<readonly Lockout[]> {
  const { registry } = isTrial ? { registry: ctx.doctypes } : await takeTurn(ctx, metadata);
  const doctypes = edits.map(({ doctype }) => requirePermissions(registry.get(doctype)));
  const stored = await loadPermissionRows(ctx.db, doctypes);
  const plans = edits.flatMap((edit) => planOf(registry.get(edit.doctype), stored.get(edit.doctype), edit));
  const warnings = plans.flatMap(({ doctype, before, after }) => lockouts(ctx.user, doctype, before, after));
  if (isTrial) return warnings;
  if (warnings.length > 0 && !isConfirmed) {
    const messages = warnings.map(({ message }) => message);
    throw new ServiceError('ValidationError', `${messages.join(' ')} Send confirm to save it`, {
      title: 'Confirm the change',
    });
  }
  for (const plan of plans) await store(ctx, plan);
  return warnings;
}

/** @throws ServiceError ValidationError for a doctype without permission rows of its own */
function requirePermissions(doctype: DocType): DocType {
  if (!isCustomizable(doctype))
    throw new ServiceError('ValidationError', `${doctype.name} cannot be customized`);
  if (!doctype.istable) return doctype;
  throw new ServiceError('ValidationError', `Rows of ${doctype.name} have the permissions of their parent`);
}

interface Plan {
  readonly doctype: DocType;
  readonly stored: StoredRows;
  readonly before: Rows;
  readonly after: Rows;
}

function planOf(doctype: DocType, stored: StoredRows | undefined, edit: PermissionEdit): Plan[] {
  if (!stored) return [];
  const shipped = mergedRows(stored.shipped);
  const before = stored.custom.length === 0 ? shipped : mergedRows(stored.custom.map(({ row }) => row));
  const after = mergedRows(edit.rows(before, shipped));
  if (after.length > 0) return [{ doctype, stored, before, after }];
  throw new ServiceError('ValidationError', `${doctype.name} needs at least one permission rule`);
}

async function store(ctx: Context, { doctype, stored: { shipped, custom }, after }: Plan): Promise<void> {
  const wanted = new Map(isSame(after, mergedRows(shipped)) ? [] : after.map((row) => [keyOf(row), row]));
  for (const { name, row } of custom) {
    const next = wanted.get(keyOf(row));
    // The first row of a role stays; others of the same key are part of it now.
    wanted.delete(keyOf(row));
    if (!next) await deleteDocument(ctx, 'Custom DocPerm', name);
    else if (!isSame([row], [next])) await updateDocument(ctx, 'Custom DocPerm', name, flags(next));
  }
  for (const { role, permlevel, if_owner, rights } of wanted.values()) {
    const place = { parent: doctype.name, role, permlevel, if_owner: Number(if_owner) };
    await createDocument(ctx, 'Custom DocPerm', { ...place, ...flags({ rights }) });
  }
}

function flags({ rights }: Pick<DocPerm, 'rights'>): Record<string, number> {
  return Object.fromEntries(RIGHTS.map((right) => [right, Number(rights.has(right))]));
}
