import { audit } from '../../../access/audit.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import { timestamp } from '../../../document/context.ts';
import type { Site } from '../../../document/contract.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import type { App, Patch } from '../../app.ts';
import { StartError } from '../../start-error.ts';
import { insertRows, type Stamp } from '../definitions/raw-rows.ts';
import { inTurn } from './in-turn.ts';

/** The doctype whose documents record the patches of a site. */
const LOG = 'Patch Log';

/** Checks that the names of an app's patches differ. @throws StartError */
export function checkPatches(app: App): void {
  const seen = new Set<string>();
  for (const patch of app.patches ?? []) {
    const key = patchKey(app, patch.name);
    if (!/^[\w.-]+$/.test(patch.name) || key.length > LIMITS.nameLength) {
      throw new StartError(
        `The patch ${JSON.stringify(patch.name)} of the app ${app.name} needs a short name of letters, digits, - _ and .`,
      );
    }
    if (seen.has(key)) throw new StartError(`The app ${app.name} has two patches named ${patch.name}.`);
    seen.add(key);
  }
}

/** Records the patches of new apps as done: their data does not exist. */
export async function skipPatches(
  connection: Connection,
  registry: DoctypeRegistry,
  apps: readonly App[],
  stamp: Stamp,
): Promise<void> {
  const rows = apps.flatMap((app) => (app.patches ?? []).map(({ name }) => rowOf(app, name, true)));
  if (rows.length > 0) await insertRows(connection, registry.get(LOG), rows, stamp);
}

/** A patch that has not run on a site. */
interface Pending {
  readonly app: App;
  readonly patch: Patch;
  /** Its name in `Patch Log`. */
  readonly key: string;
}

/** The apps' patches that have not run on the site, in order. The apps must be those of the site. */
export async function pendingPatches(connection: Connection, apps: readonly App[]): Promise<Pending[]> {
  const all = apps.flatMap((app) =>
    (app.patches ?? []).map((patch) => ({ app, patch, key: patchKey(app, patch.name) })),
  );
  if (all.length === 0) return [];
  const rows = await connection.all(sql`select "name" from "Patch Log"`);
  const done = new Set(rows.map((row) => row['name']));
  return all.filter(({ key }) => !done.has(key));
}

/**
 * Runs the pending patches in order, each in its own transaction, which also records it as done. Of several
 * nodes, one runs a patch.
 * @throws StartError for the first failure; the remaining patches wait for the next start
 */
export async function runPatches(site: Site, apps: readonly App[]): Promise<void> {
  const pending = await pendingPatches(site.database.reader, apps);
  for (const [index, { app, patch, key }] of pending.entries()) {
    site.observe({ kind: 'patching', patch: key, step: index + 1, steps: pending.length });
    const began = performance.now();
    const ran = await inTurn(site, async (ctx) => {
      const other = await ctx.db.get(sql`select "name" from "Patch Log" where "name" = ${key}`);
      if (other) return false;
      await patch.run(ctx);
      const stamp = { now: timestamp(site), random: site.random };
      await insertRows(ctx.db, ctx.doctypes.get(LOG), [rowOf(app, patch.name, false)], stamp);
      await audit(ctx, { event: 'patch_applied', doctype: LOG, name: key });
      return true;
    }).catch((error: unknown) => {
      throw new StartError(
        `The patch ${key} failed and was rolled back; the next start runs it again.\n  ${explain(error)}`,
        { cause: error },
      );
    });
    const millis = Math.round(performance.now() - began);
    if (ran) site.observe({ kind: 'patch_applied', patch: key, millis });
  }
}

function patchKey(app: App, name: string): string {
  return `${app.name}.${name}`;
}

function rowOf(app: App, name: string, skipped: boolean) {
  return { name: patchKey(app, name), app: app.name, patch: name, skipped: skipped ? 1 : 0 };
}

// A refusal is a sentence. Any other error is a bug in the patch, and its author needs the stack.
function explain(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
