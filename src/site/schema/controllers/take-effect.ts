import type { Tolerance } from '../../../doctype/definition.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { checkReferences } from '../../../doctype/references.ts';
import type { Context } from '../../../document/contract.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { customizationsOf, loadCustomizations } from '../definitions/customizations.ts';
import { parseMerged } from '../definitions/load-registry.ts';
import type { Metadata } from '../definitions/metadata.ts';
import { loadStoredDefinitions } from '../definitions/stored-definitions.ts';
import { leaveIndexes } from '../migration/build-indexes.ts';
import { changeTable } from '../migration/change-table.ts';
import { beforeOf, checkStored } from '../migration/check-stored.ts';
import type { DoctypeTurn } from './doctype-turn.ts';
import { shownFields } from './shown-fields.ts';

/**
 * Puts a stored definition into effect: checks it, and changes the doctype's table in this transaction.
 * @throws ServiceError when the definition is invalid, or stored data does not allow it
 */
export async function takeEffect(
  ctx: Context,
  metadata: Metadata,
  turn: DoctypeTurn,
  doctypeName: string,
): Promise<void> {
  const before = turn.find(doctypeName);
  const tolerates = turn.tolerance(before);
  const after = await readMerged(ctx, metadata, doctypeName, tolerates);
  checkReferences(after, (name) => turn.find(name), tolerates);
  requireSameNature(before, after);
  if (before) await checkStored(ctx.db, beforeOf(before), after);
  const { postponed } = turn;
  if (!postponed) await changeTableOf(ctx, before, after);
  else if (!postponed.has(doctypeName)) postponed.set(doctypeName, before);
  turn.put(after);
}

/**
 * Brings the table of a doctype in line with it, with the losses that the caller accepts. Resolves to the lost
 * columns.
 */
export async function changeTableOf(
  ctx: Context,
  before: DocType | undefined,
  after: DocType,
  mayLose?: (column: string) => boolean,
): Promise<readonly string[]> {
  const mayShow = shownFields(ctx, before);
  const options = { isNew: before === undefined, mayShow, ...(mayLose && { mayLose }) };
  const { changes, deferred, lost } = await changeTable(ctx.db, after, options);
  if (deferred > 0) {
    await leaveIndexes(ctx.db);
    ctx.afterCommit(() => ctx.site.jobs.ask('build_indexes'));
  }
  ctx.afterCommit(() => ctx.site.observe({ kind: 'schema_changed', doctype: after.name, changes }));
  return lost;
}

async function readMerged(
  ctx: Context,
  metadata: Metadata,
  doctypeName: string,
  tolerates: Tolerance,
): Promise<DocType> {
  const [stored] = await loadStoredDefinitions(ctx.db, ctx.doctypes, { only: [doctypeName] });
  if (!stored) throw new ServiceError('DoesNotExistError', `DocType ${doctypeName} not found`);
  const found = await loadCustomizations(ctx.db, ctx.doctypes, { only: [doctypeName] });
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
