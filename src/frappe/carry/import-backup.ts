import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import type { Note } from '../../doctype/note.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { createLoad, DATA_LOAD, type DataLoad, readLoad, writeLoad } from '../../load/data-load.ts';
import { type LoadStand, runLoad } from '../../load/run-load.ts';
import { storeApplier } from '../../load/store/store-applier.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { BackupFiles } from '../input/backup-files.ts';
import type { Passphrase } from '../input/bytes.ts';
import type { SourceDatabase } from '../input/read-database.ts';
import type { Scratch } from '../input/scratch.ts';
import { readSiteConfig } from '../input/site-config.ts';
import { type ImportPlan, makePlan, openSource } from '../plan/make-plan.ts';
import type { SourceDefinitions } from '../plan/source-definitions.ts';
import { findCorrections } from './corrections.ts';
import { type CarriedCredentials, carryCredentials } from './credentials.ts';
import { defineSource } from './define.ts';
import { type CarriedFiles, carryFiles } from './files.ts';
import { type Proof, prove } from './prove.ts';
import { type FrappeRecords, frappeRecords } from './records.ts';
import { sourceSecrets } from './secrets.ts';
import { stage } from './stage.ts';
import { type Change, Tally } from './tally.ts';

/** A backup to import. */
export interface Import {
  readonly site: OpenSite;
  readonly files: BackupFiles;
  readonly passphrase: Passphrase;
  readonly database: SourceDatabase;
  /** Names the content of the dump: the same text, the same dump. */
  readonly fingerprint: string;
  /** Empty. It is the caller's to remove. */
  readonly scratch: Scratch;
  readonly tell: (step: ImportStep) => void;
  readonly signal?: AbortSignal;
}

export type ImportStep =
  | { readonly step: 'reading' | 'defining' | 'comparing names' }
  | { readonly step: 'loading'; readonly stand: LoadStand }
  | { readonly step: 'files'; readonly files: number }
  | { readonly step: 'proving'; readonly documents: number };

/** What an import did. To be kept: it proves what came. */
export interface ImportReport {
  readonly load: string;
  /** What was to come, and what stayed behind. */
  readonly plan: ImportPlan;
  /** Oddities of the definitions. */
  readonly notes: readonly Note[];
  readonly documents: DataLoad['counts'];
  readonly brokenLinks: number;
  readonly credentials: CarriedCredentials;
  readonly files: CarriedFiles;
  readonly changes: readonly Change[];
  readonly proof: Proof;
}

/** Imports a backup into a site, or goes on with an import of it that was interrupted. Null when it was aborted. */
export async function importBackup(given: Import): Promise<ImportReport | null> {
  const { site, files, passphrase, database, scratch, tell } = given;
  tell({ step: 'reading' });
  const config = await readSiteConfig(files.siteConfig, passphrase);
  const source = await openSource(database);
  requireFreeDoctypes(site, source.definitions);
  requireSameZone(source.schema.timeZone, site.config.timeZone);
  const plan = await makePlan(database, source);
  await stage(database, source, scratch);
  tell({ step: 'defining' });
  const notes = await defineSource(site, source.definitions, scratch);
  tell({ step: 'comparing names' });
  const corrections = findCorrections(scratch, source);
  const secrets = sourceSecrets(scratch, config);
  const identity = { id: `frappe ${given.fingerprint}`, label: files.database };
  const recordsWith = (tally: Tally) =>
    frappeRecords(scratch, source, site.doctypes, { corrections, secrets, tally }, identity);
  const { name: load, isDone } = await findLoad(site, identity);
  if (!isDone) await loadRecords(given, load, recordsWith(new Tally()));
  const loaded = await readLoad(site.database.reader, load);
  if (loaded.status !== 'Done') return null;
  const tally = new Tally();
  const credentials = await carryCredentials(site, scratch, secrets, corrections, tally);
  const carried = await carryFiles(site, files, passphrase, tally, (count) =>
    tell({ step: 'files', files: count }),
  );
  const told = (documents: number) => tell({ step: 'proving', documents });
  const proof = await prove(site, load, recordsWith(tally), scratch, told);
  return {
    load,
    plan,
    notes,
    documents: loaded.counts,
    brokenLinks: loaded.brokenLinks,
    credentials,
    files: carried,
    changes: tally.list(),
    proof,
  };
}

/** @throws ServiceError when an app of this site has a doctype of the backup: the two are not the same */
function requireFreeDoctypes(site: OpenSite, { created }: SourceDefinitions): void {
  const taken = created.filter(({ name }) => (site.doctypes.find(name)?.app ?? '') !== '');
  const [first] = taken;
  if (!first) return;
  const app = site.doctypes.get(first.name).app;
  const names = taken
    .map(({ name }) => name)
    .slice(0, LIMITS.importExamples)
    .join(', ');
  throw new ServiceError(
    'ValidationError',
    `The app ${app} of this site defines ${names}, as the backup does: import into a site without it (--apps '')`,
  );
}

/** Stored times have no zone of their own: in another zone they would mean other moments. */
function requireSameZone(there: string | null, here: string): void {
  if (there === null || there === here) return;
  throw new ServiceError(
    'ValidationError',
    `The times of the backup are in ${there}, those of this site in ${here}: set timeZone (CHANCERY_TIME_ZONE) to ${there}`,
  );
}

async function loadRecords(
  { site, tell, signal }: Import,
  load: string,
  source: FrappeRecords,
): Promise<void> {
  const options = { mode: 'Insert', skipExisting: true, isCommandLine: true } as const;
  await runLoad({
    site,
    load,
    source,
    applier: storeApplier({ site, user: ADMINISTRATOR, origin: COMMAND_LINE, ...options }),
    onProgress: (stand) => tell({ step: 'loading', stand }),
    ...(signal && { signal }),
  });
}

/**
 * The newest load of this backup that was not undone: one that ended is only completed, with its files and its proof.
 */
function findLoad(
  site: OpenSite,
  { id, label }: { readonly id: string; readonly label: string },
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
        format: 'Frappe backup',
        mode: 'Insert',
      } as const;
      return { name: await createLoad(ctx, load), isDone: false };
    },
    COMMAND_LINE,
  );
}
