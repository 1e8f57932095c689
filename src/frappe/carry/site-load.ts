import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { createLoad, DATA_LOAD, writeLoad } from '../../load/data-load.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Scratch } from '../input/scratch.ts';
import { describeOwn, type OwnDoctype } from '../plan/own-doctypes.ts';

/**
 * @throws ServiceError when this site has doctypes of the source that cannot take its documents, or any that nobody
 * asked to keep
 */
export function requireFit(own: readonly OwnDoctype[], isKeeping: boolean): void {
  const clashing = own.filter(({ clash }) => clash !== null);
  const few = (some: readonly OwnDoctype[]) => {
    const shown = some.slice(0, LIMITS.importExamples).map(describeOwn);
    return `${shown.join(', ')}${some.length > shown.length ? ` and ${some.length - shown.length} more` : ''}`;
  };
  if (clashing.length > 0) {
    throw new ServiceError(
      'ValidationError',
      `This site has doctypes that cannot take documents of the source: ${few(clashing)}. ` +
        `Rename or delete them; import into a site without the app (--apps '')`,
    );
  }
  if (own.length === 0 || isKeeping) return;
  throw new ServiceError(
    'ValidationError',
    `This site has doctypes of the source already: ${few(own)}. ` +
      'With --keep-doctypes they stay as they are, and take what fits; the report counts what stays behind',
  );
}

/**
 * A File of the source with the address of another File here would open the bytes of that one.
 * @throws ServiceError
 */
export async function requireFreeAddresses(site: OpenSite, scratch: Scratch): Promise<void> {
  if (!scratch.tables.has('tabFile')) return;
  const isThere = (name: unknown) =>
    scratch.get('select 1 as "found" from "tabFile" where "name" = ?', String(name)) !== null;
  const addresses = scratch.each(
    `select distinct "file_url" from "tabFile" where "file_url" like '%/files/%'`,
  );
  for (const { file_url } of addresses) {
    const rows = await site.database.reader.all(
      sql`select "name" from "File" where "file_url" = ${String(file_url)}`,
    );
    if (rows.every(({ name }) => isThere(name))) continue;
    throw new ServiceError(
      'ValidationError',
      `This site has another file at ${file_url}, as the source does: move it first`,
    );
  }
}

/**
 * Stored times have no zone of their own: in another zone they would mean other moments. `named` is the zone of a
 * source that does not state it.
 * @throws ServiceError
 */
export function requireSameZone(stated: string | null, named: string | undefined, here: string): void {
  const there = stated ?? named;
  if (there === here) return;
  if (there === undefined) {
    throw new ServiceError(
      'ValidationError',
      'The source does not state the time zone of its times (System Settings): name it with --source-time-zone',
    );
  }
  throw new ServiceError(
    'ValidationError',
    `The times of the source are in ${there}, those of this site in ${here}: set timeZone (CHANCERY_TIME_ZONE) to ${there}`,
  );
}

/**
 * The newest load of this source that was not undone: one that ended is only completed, with its files and its proof.
 */
export function findLoad(
  site: OpenSite,
  { id, label }: { readonly id: string; readonly label: string },
  format: string,
): Promise<{ readonly name: string; readonly isDone: boolean }> {
  return unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) => {
      const row = await ctx.db.get(
        sql`select "name", "status", "failed" from ${ident(DATA_LOAD)} where "kind" = 'Load' and "source_id" = ${id}
            order by "creation" desc, "name" limit 1`,
      );
      const isEnded = row?.['status'] === 'Undone' || row?.['status'] === 'Undoing';
      if (row && !isEnded) {
        const name = String(row['name']);
        // Refused documents are tried again, because a definition may have changed.
        const isTriedAgain = Number(row['failed']) > 0;
        if (isTriedAgain) await writeLoad(site, ctx.db, name, { status: 'Paused' }, ['Done']);
        return { name, isDone: row['status'] === 'Done' && !isTriedAgain };
      }
      const load = {
        kind: 'Load',
        source: label,
        sourceId: id,
        format,
        mode: 'Insert',
      } as const;
      return { name: await createLoad(ctx, load), isDone: false };
    },
    COMMAND_LINE,
  );
}
