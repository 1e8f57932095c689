import { type Tolerance, tolerating } from '../../../doctype/definition.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { checkReferences } from '../../../doctype/references.ts';
import type { Context } from '../../../document/contract.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { raiseDoctypeVersion } from '../../settings/settings-table.ts';
import { customizationsOf, loadCustomizations } from '../definitions/customizations.ts';
import { parseMerged } from '../definitions/load-registry.ts';
import type { Metadata } from '../definitions/metadata.ts';
import { loadStoredDefinitions } from '../definitions/stored-definitions.ts';
import { changeTable } from '../migration/change-table.ts';
import { beforeOf, checkStored } from '../migration/check-stored.ts';

/**
 * A transaction's exclusive turn at changing doctypes: until it ends no other transaction changes them, on
 * any node.
 */
export interface DoctypeTurn {
  /** The version that this transaction creates. */
  readonly version: number;
  /** The current doctypes, even if this process knew older ones when the transaction began. */
  readonly registry: DoctypeRegistry;
}

/** Waits for the turn. Take it before you read anything that a check depends on. */
export async function takeTurn(ctx: Context, metadata: Metadata): Promise<DoctypeTurn> {
  const version = await raiseDoctypeVersion(ctx.db);
  // Another node, another request of this commit, or this transaction itself may have been faster.
  const isFresh = version === ctx.doctypes.version + 1;
  return { version, registry: isFresh ? ctx.doctypes : await metadata.read(ctx.db) };
}

/**
 * Puts a stored definition into effect: checks it, changes the doctype's table in this transaction, and
 * replaces the doctype in the registry after the commit.
 * @throws ServiceError when the definition is invalid, or stored data does not allow it
 */
export async function takeEffect(
  ctx: Context,
  metadata: Metadata,
  turn: DoctypeTurn,
  doctypeName: string,
): Promise<void> {
  const { version, registry } = turn;
  const before = registry.find(doctypeName);
  const tolerates = tolerating(before?.notes);
  const after = await readMerged(ctx, metadata, doctypeName, tolerates);
  checkReferences(after, registry.find, tolerates);
  requireSameNature(before, after);
  if (before) await checkStored(ctx.db, beforeOf(before), after);
  const { changes } = await changeTable(ctx.db, after, { isNew: before === undefined });
  ctx.afterCommit(() => {
    ctx.site.observe({ kind: 'schema_changed', doctype: doctypeName, changes });
    return metadata.put([after], version);
  });
}

async function readMerged(
  ctx: Context,
  metadata: Metadata,
  doctypeName: string,
  tolerates: Tolerance,
): Promise<DocType> {
  const [stored] = await loadStoredDefinitions(ctx.db, ctx.doctypes, { only: doctypeName });
  if (!stored) throw new ServiceError('DoesNotExistError', `DocType ${doctypeName} not found`);
  const found = await loadCustomizations(ctx.db, ctx.doctypes, { only: doctypeName });
  return parseMerged(stored, customizationsOf(found, doctypeName), metadata.owner, tolerates);
}

// The kind of a doctype (normal, child, single or virtual) decides its table and columns, so it is fixed at
// creation.
function requireSameNature(before: DocType | undefined, after: DocType): void {
  if (!before && after.is_virtual) {
    const reason = `is_virtual of DocType ${after.name} cannot be set: a virtual doctype needs an app's controller`;
    throw new ServiceError('ValidationError', reason);
  }
  const changed = (['istable', 'issingle', 'is_virtual'] as const).filter(
    (property) => before && before[property] !== after[property],
  );
  if (changed.length === 0) return;
  throw new ServiceError(
    'ValidationError',
    `${changed.join(', ')} of DocType ${after.name} cannot be changed`,
  );
}
