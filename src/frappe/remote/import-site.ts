import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { Note } from '../../doctype/note.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { type DataLoad, readLoad, writeLoad } from '../../load/data-load.ts';
import { type LoadStand, runLoad } from '../../load/run-load.ts';
import { storeApplier } from '../../load/store/store-applier.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { defineSource, madeDoctypes } from '../carry/define.ts';
import { findLoad, requireFit, requireSameZone } from '../carry/site-load.ts';
import { type Change, Tally } from '../carry/tally.ts';
import { keptSingles, leftFields, ownDoctypes } from '../plan/own-doctypes.ts';
import { Follower } from './follower.ts';
import { type RemoteSource, shapesOf } from './open-remote.ts';
import { carryRemoteFiles, type RemoteFiles } from './remote-files.ts';
import { remoteConversion, remoteRecords, siteId } from './remote-records.ts';
import { followingOptions, SiteTarget } from './site-target.ts';

export interface SiteImport {
  readonly site: OpenSite;
  readonly source: RemoteSource;
  /** The zone of the times of a source that does not state it. */
  readonly timeZone?: string | undefined;
  readonly signal: AbortSignal;
  /** Documents that changed here are replaced by those of the site. */
  readonly isOverwriting?: boolean;
  /** Deletes any number of documents that the site does not have any more. */
  readonly isDeletingMany?: boolean;
  /** Doctypes that this site has take the documents of the source, as far as these fit. */
  readonly isKeeping?: boolean;
  readonly tell: (step: SiteImportStep) => void;
}

export type SiteImportStep =
  | { readonly step: 'loading'; readonly stand: LoadStand }
  | { readonly step: 'files'; readonly files: number };

/** An import that has read the whole site, and can follow it. */
export interface ImportedSite {
  readonly load: DataLoad;
  readonly notes: readonly Note[];
  /** Doctypes and customizations that this site refused, each with its reason. */
  readonly refused: readonly string[];
  /** Values that are stored otherwise, or not at all, of the documents that this call read. */
  readonly changes: readonly Change[];
  readonly follower: Follower;
  /** Fetches the bytes of files that have none here. */
  carryFiles(): Promise<RemoteFiles>;
}

/**
 * Reads a whole running site, or goes on with an import of it that was interrupted. Null when it was aborted. What was
 * read before is read again, and stored again only where it differs; with `isKnown`, a complete import is left to the
 * follower, which compares names and versions.
 */
export async function importSite(given: SiteImport, isKnown: boolean): Promise<ImportedSite | null> {
  const { site, signal, tell, isOverwriting = false, isDeletingMany, isKeeping = false } = given;
  const { schema, definitions } = given.source;
  const id = siteId(given.source.site);
  const own = ownDoctypes(site.doctypes, definitions, await madeDoctypes(site.database.reader, id));
  requireFit(own, isKeeping);
  requireSameZone(schema.timeZone, given.timeZone, site.config.timeZone);
  const { notes, refused } = await defineSource(site, definitions, schema.rows('Role'), id);
  const kept = keptSingles(own);
  const counts = new Map([...given.source.counts].filter(([doctype]) => !kept.has(doctype)));
  const source = { ...given.source, counts };
  const tally = new Tally();
  const conversion = remoteConversion(tally, leftFields(own));
  const records = remoteRecords(source, site.doctypes, conversion);
  const { name: load, isDone } = await findLoad(site, records, 'Frappe site');
  const shapes = shapesOf(source, site.doctypes);
  const isSingle = (doctype: string) => site.doctypes.get(doctype).issingle;
  const follower = new Follower({
    site: source.site,
    target: await SiteTarget.open({ site, load, isOverwriting, conversion }),
    shapes: shapes.filter(({ doctype }) => !isSingle(doctype)),
    singles: shapes.filter(({ doctype }) => isSingle(doctype)),
    positions: new Map(),
    siteNow: () => formatTimestamp(site.clock.micros(), site.config.timeZone),
    ...{ signal, isDeletingMany },
  });
  // Before the first document is read, so that no later change is missed.
  await follower.begin();
  if (!(isDone && isKnown)) {
    if (isDone) await reopen(site, load);
    await runLoad({
      ...{ site, load, source: records, signal, applier: storeApplier(followingOptions(site)) },
      onProgress: (stand) => tell({ step: 'loading', stand }),
    });
  }
  const loaded = await readLoad(site.database.reader, load);
  if (loaded.status !== 'Done') return null;
  const carryFiles = () => carryRemoteFiles(site, source.site, (files) => tell({ step: 'files', files }));
  return { load: loaded, notes, refused, changes: tally.list(), follower, carryFiles };
}

function reopen(site: OpenSite, load: string): Promise<boolean> {
  return unitOfWork(
    site,
    ADMINISTRATOR,
    (ctx) => writeLoad(site, ctx.db, load, { status: 'Paused' }, ['Done']),
    COMMAND_LINE,
  );
}
