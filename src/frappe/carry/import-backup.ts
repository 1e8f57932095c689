import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { Note } from '../../doctype/note.ts';
import { type DataLoad, readLoad } from '../../load/data-load.ts';
import { type LoadStand, runLoad } from '../../load/run-load.ts';
import { storeApplier } from '../../load/store/store-applier.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { BackupFiles } from '../input/backup-files.ts';
import type { Passphrase } from '../input/bytes.ts';
import type { SourceDatabase } from '../input/read-database.ts';
import type { Scratch } from '../input/scratch.ts';
import { readSiteConfig } from '../input/site-config.ts';
import { type ImportPlan, makePlan, openSource } from '../plan/make-plan.ts';
import { keptSingles, leftFields, ownDoctypes } from '../plan/own-doctypes.ts';
import { findCorrections } from './corrections.ts';
import { type CarriedCredentials, carryCredentials } from './credentials.ts';
import { defineSource, madeDoctypes } from './define.ts';
import { type CarriedFiles, carryFiles } from './files.ts';
import { type Proof, prove } from './prove.ts';
import { type FrappeRecords, frappeRecords } from './records.ts';
import { sourceSecrets } from './secrets.ts';
import { findLoad, requireFit, requireFreeAddresses, requireSameZone } from './site-load.ts';
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
  /** The zone of the times of a source that does not state it. */
  readonly timeZone?: string | undefined;
  /** Doctypes that this site has take the documents of the source, as far as these fit. */
  readonly isKeeping?: boolean;
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
  /** Definitions that this site refused, with the reasons. */
  readonly refused: readonly string[];
  readonly documents: DataLoad['counts'];
  readonly brokenLinks: number;
  readonly credentials: CarriedCredentials;
  readonly files: CarriedFiles;
  readonly changes: readonly Change[];
  readonly proof: Proof;
}

/** Imports a backup into a site, or goes on with an import of it that was interrupted. Null when it was aborted. */
export async function importBackup(given: Import): Promise<ImportReport | null> {
  const { site, files, passphrase, database, scratch, tell, isKeeping = false } = given;
  tell({ step: 'reading' });
  const config = await readSiteConfig(files.siteConfig, passphrase);
  const source = await openSource(database);
  const identity = { id: backupId(given.fingerprint), label: files.database };
  const made = await madeDoctypes(site.database.reader, identity.id);
  const own = ownDoctypes(site.doctypes, source.definitions, made);
  requireFit(own, isKeeping);
  requireSameZone(source.schema.timeZone, given.timeZone, site.config.timeZone);
  const plan = await makePlan(database, source, own);
  await stage(database, source, scratch);
  await requireFreeAddresses(site, scratch);
  tell({ step: 'defining' });
  const { name: load, isDone } = await findLoad(site, identity, 'Frappe backup');
  // What was changed since an import that has ended stays.
  const { notes, refused } = isDone
    ? { notes: [], refused: [] }
    : await defineSource(site, source.definitions, rolesOf(scratch), identity.id);
  tell({ step: 'comparing names' });
  const corrections = findCorrections(scratch, source);
  const secrets = sourceSecrets(scratch, config);
  const [left, kept] = [leftFields(own), keptSingles(own)];
  const comes = (doctype: string) => source.comes(doctype) && !kept.has(doctype);
  const recordsWith = (tally: Tally) =>
    frappeRecords(scratch, { comes }, site.doctypes, { corrections, secrets, tally, left }, identity);
  if (!isDone) await loadRecords(given, load, recordsWith(new Tally()));
  const loaded = await readLoad(site.database.reader, load);
  if (loaded.status !== 'Done') return null;
  const tally = new Tally();
  const credentials = await carryCredentials(site, load, scratch, secrets, corrections, tally);
  const carried = await carryFiles(site, files, passphrase, tally, (count) =>
    tell({ step: 'files', files: count }),
  );
  const told = (documents: number) => tell({ step: 'proving', documents });
  const proof = await prove(site, load, recordsWith(tally), scratch, told);
  return {
    load,
    plan,
    notes,
    refused,
    documents: loaded.counts,
    brokenLinks: loaded.brokenLinks,
    credentials,
    files: carried,
    changes: tally.list(),
    proof,
  };
}

/** Names the load of a backup. */
export function backupId(fingerprint: string): string {
  return `frappe ${fingerprint}`;
}

function rolesOf(scratch: Scratch): readonly Readonly<Record<string, unknown>>[] {
  return scratch.tables.has('tabRole') ? scratch.all('select * from "tabRole"') : [];
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
