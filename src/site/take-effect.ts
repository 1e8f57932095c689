import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { checkReferences } from '../doctype/parse-doctype.ts';
import type { Context } from '../document/context.ts';
import { ServiceError } from '../kernel/errors.ts';
import { changeTable } from './change-table.ts';
import { beforeOf, checkStored } from './check-stored.ts';
import { customizationsOf, readCustomizations } from './customizations.ts';
import { parseMerged } from './load-registry.ts';
import type { Metadata } from './metadata.ts';
import { raiseDoctypeVersion } from './settings-table.ts';
import { readStoredDefinitions } from './stored-definitions.ts';

/** A transaction's turn at changing doctypes: until it ends nobody else does, on any node. */
export interface DoctypeTurn {
  /** The version this transaction makes. */
  readonly version: number;
  /** The doctypes as they are, whatever this process knew when the transaction began. */
  readonly registry: DoctypeRegistry;
}

/** Waits for the turn. Ask before looking at anything a check rests on. */
export async function takeTurn(ctx: Context, metadata: Metadata): Promise<DoctypeTurn> {
  const version = await raiseDoctypeVersion(ctx.db);
  // Another node, another request of this commit or this very transaction may have been quicker.
  const isFresh = version === ctx.doctypes.version + 1;
  return { version, registry: isFresh ? ctx.doctypes : await metadata.read(ctx.db) };
}

/**
 * Makes what the tables now say of a doctype take effect: checks it, changes the doctype's table in this transaction,
 * and replaces the registry's doctype after the commit.
 * @throws ServiceError when the definition does not fit, or what is stored does not allow it
 */
export async function takeEffect(
  ctx: Context,
  metadata: Metadata,
  turn: DoctypeTurn,
  doctypeName: string,
): Promise<void> {
  const { version, registry } = turn;
  const before = registry.find(doctypeName);
  const after = await readMerged(ctx, metadata, doctypeName);
  checkReferences(after, registry.find);
  requireSameNature(before, after);
  if (before) await checkStored(ctx.db, beforeOf(before), after);
  const { changes } = await changeTable(ctx.db, after, { isNew: before === undefined });
  ctx.afterCommit(() => {
    ctx.site.observe({ kind: 'schema_changed', doctype: doctypeName, changes });
    return metadata.put(after, version);
  });
}

async function readMerged(ctx: Context, metadata: Metadata, doctypeName: string): Promise<DocType> {
  const [stored] = await readStoredDefinitions(ctx.db, ctx.doctypes, { only: doctypeName });
  if (!stored) throw new ServiceError('DoesNotExistError', `DocType ${doctypeName} not found`);
  const found = await readCustomizations(ctx.db, ctx.doctypes, { only: doctypeName });
  return parseMerged(stored, customizationsOf(found, doctypeName), metadata.owner);
}

// Whether rows stand alone, inside a parent or nowhere decides the table and its columns: fixed at creation.
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
