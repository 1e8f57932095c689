import { COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameInText, nameKey } from '../../doctype/numbered.ts';
import { deleteDocument } from '../../document/verbs/delete.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Applier, LoadOfApplier } from '../../load/applier.ts';
import { batchesOf } from '../../load/batches.ts';
import { Claim, ClaimLost } from '../../load/claim.ts';
import { entryKey, forgetEntries, isAsLeft, knownKeys, type Version, versionOf } from '../../load/ledger.ts';
import { ProblemLog } from '../../load/problems.ts';
import { deleteStored } from '../../load/store/delete-stored.ts';
import { CHANGED_HERE, DELETED_HERE, EXISTS_HERE, storeApplier } from '../../load/store/store-applier.ts';
import type { StoreOptions } from '../../load/store/store-options.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { Conversion } from '../carry/convert.ts';
import type { Applied, Compared, FollowTarget, Removed } from './follow-target.ts';
import { remoteRecord } from './remote-records.ts';
import type { RemoteRow } from './remote-site.ts';

/** How documents of a running site are stored: as they are there, unless they changed here. */
export function followingOptions(site: OpenSite): StoreOptions {
  return {
    ...{ site, user: ADMINISTRATOR, origin: COMMAND_LINE, isCommandLine: true },
    ...{ mode: 'Insert', skipExisting: true, keepChanged: true },
  };
}

const CONFLICTS: ReadonlySet<string> = new Set([CHANGED_HERE, DELETED_HERE, EXISTS_HERE]);

export interface SiteTargetOptions {
  readonly site: OpenSite;
  /** The load that has brought the documents. */
  readonly load: string;
  /** Documents that changed here are replaced by those of the site. */
  readonly isOverwriting: boolean;
  /** It counts values that are stored otherwise, or not at all. */
  readonly conversion: Conversion;
}

/** Stores what a site changes in the load that has brought its documents. */
export class SiteTarget implements FollowTarget {
  readonly #site: OpenSite;
  readonly #load: string;
  readonly #log: ProblemLog;
  readonly #applier: Applier;
  readonly #isOverwriting: boolean;
  readonly #conversion: Conversion;
  /** Ends the following of a load that somebody undoes. */
  readonly #hold: LoadOfApplier['hold'];

  private constructor({ site, load, isOverwriting, conversion }: SiteTargetOptions, log: ProblemLog) {
    this.#isOverwriting = isOverwriting;
    this.#conversion = conversion;
    this.#site = site;
    this.#load = load;
    this.#log = log;
    const claim = new Claim(site, load, 'Done', '');
    this.#hold = (db) =>
      claim.hold(db).catch((error: unknown) => {
        throw error instanceof ClaimLost ? new ServiceError('PermissionError', error.message) : error;
      });
    let seq = site.clock.micros();
    this.#applier = storeApplier({ ...followingOptions(site), mode: isOverwriting ? 'Upsert' : 'Insert' })({
      load,
      hold: this.#hold,
      next: () => {
        seq += 1;
        return seq;
      },
      note: (db, problems) => log.add(db, problems),
    });
  }

  static async open(options: SiteTargetOptions): Promise<SiteTarget> {
    const { site, load } = options;
    return new SiteTarget(options, await ProblemLog.open(site.database.reader, site.random, load));
  }

  async apply(doctypeName: string, documents: readonly RemoteRow[]): Promise<Applied> {
    const { doctypes, database } = this.#site;
    const doctype = doctypes.get(doctypeName);
    const conversion = this.#conversion;
    const records = async function* () {
      for (const document of documents) yield remoteRecord(doctypes, doctype, document, conversion);
    };
    let [stored, failed] = [0, 0];
    const conflicts: string[] = [];
    for await (const batch of batchesOf(records(), this.#applier.batch)) {
      const known = await knownKeys(database.reader, this.#load, batch.records);
      const open = batch.records.filter((record) => known.get(entryKey(record))?.hash !== record.hash);
      const outcomes = open.length === 0 ? [] : await this.#applier.apply(open);
      const failures = outcomes.flatMap(({ problems, action }) => (action === 'failed' ? problems : []));
      for (const [index, { action, problems }] of outcomes.entries()) {
        if (action !== 'failed') stored += 1;
        else if (problems.some(({ reason }) => CONFLICTS.has(reason))) conflicts.push(open[index]?.key ?? '');
        else failed += 1;
      }
      if (failures.length > 0) await database.transaction((db) => this.#log.add(db, failures));
    }
    return { stored, failed, conflicts };
  }

  async compare(doctypeName: string, rows: readonly RemoteRow[]): Promise<Compared> {
    const { database, doctypes } = this.#site;
    const doctype = doctypes.get(doctypeName);
    const records = rows.map(({ name }) => ({ doctype: doctypeName, key: String(name) }));
    const known = await knownKeys(database.reader, this.#load, records);
    const here = await this.#versions(
      doctype,
      [...known.values()].map(({ name }) => name),
    );
    const [missing, stale, conflicts]: [string[], string[], string[]] = [[], [], []];
    for (const row of rows) {
      const key = String(row['name']);
      const entry = known.get(entryKey({ doctype: doctypeName, key }));
      const version = entry && here.get(entry.name);
      if (!entry) missing.push(key);
      // A built-in document, such as a role, is the same on both sides; any other was made here.
      else if (entry.action === 'skipped') {
        if (doctype.app !== 'standard') conflicts.push(key);
      } else if (!version || !isAsLeft(entry, version)) conflicts.push(key);
      else if (version.modified !== padded(row['modified'])) stale.push(key);
    }
    if (!this.#isOverwriting || conflicts.length === 0) return { missing, stale, conflicts };
    // Without their entries they are documents like any other of this site.
    const entries = conflicts.map((key) => ({ doctype: doctypeName, key }));
    await database.transaction((db) => forgetEntries(db, this.#load, entries));
    return { missing: [...missing, ...conflicts], stale, conflicts: [] };
  }

  async known(doctype: string, keys: readonly string[]): Promise<readonly string[]> {
    const records = keys.map((key) => ({ doctype, key }));
    const known = await knownKeys(this.#site.database.reader, this.#load, records);
    return keys.filter((key) => known.has(entryKey({ doctype, key })));
  }

  async count(doctypeName: string): Promise<number> {
    const { database, doctypes } = this.#site;
    const doctype = doctypes.get(doctypeName);
    const name = nameInText(doctype, sql`"l"."name"`, database.dialect);
    const row = await database.reader.get(
      sql`select count(*) as "count" from "_load_row" as "l"
          where "l"."load" = ${this.#load} and "l"."doctype" = ${doctypeName} and ("l"."action" = 'skipped'
            or exists (select 1 from ${ident(doctypeName)} as "d" where "d"."name" = ${name}))`,
    );
    return Number(row?.['count'] ?? 0);
  }

  async *keys(doctype: string): AsyncGenerator<readonly string[]> {
    for (let last = ''; ; ) {
      const rows = await this.#site.database.reader.all(
        sql`select "key" from "_load_row" where "load" = ${this.#load} and "doctype" = ${doctype}
            and "key" > ${last} order by "key" limit ${LIMITS.remotePage}`,
      );
      if (rows.length > 0) yield rows.map(({ key }) => String(key));
      if (rows.length < LIMITS.remotePage) return;
      last = String(rows.at(-1)?.['key']);
    }
  }

  async remove(doctype: string, keys: readonly string[]): Promise<Removed> {
    if (doctype === 'File') return this.#removeFiles(keys);
    const { deleted, kept, referrers } = await deleteStored(
      followingOptions(this.#site),
      { load: this.#load, hold: this.#hold },
      doctype,
      keys,
    );
    return { removed: deleted, conflicts: kept, referrers };
  }

  /** By the verb, which releases their bytes. */
  async #removeFiles(keys: readonly string[]): Promise<Removed> {
    const records = keys.map((key) => ({ doctype: 'File', key }));
    const known = await knownKeys(this.#site.database.reader, this.#load, records);
    let removed = 0;
    const conflicts: string[] = [];
    for (const record of records) {
      const entry = known.get(entryKey(record));
      if (!entry) continue;
      try {
        await unitOfWork(
          this.#site,
          ADMINISTRATOR,
          async (ctx) => {
            await this.#hold(ctx.db);
            if (entry.action !== 'skipped') await deleteDocument(ctx, 'File', entry.name);
            await forgetEntries(ctx.db, this.#load, [record]);
          },
          { ...COMMAND_LINE, isImport: true },
        );
        removed += 1;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        conflicts.push(record.key);
      }
    }
    return { removed, conflicts, referrers: new Map() };
  }

  async #versions(
    doctype: DocType,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Version & { readonly modified: string }>> {
    const found = new Map<string, Version & { modified: string }>();
    for (let start = 0; start < names.length; start += LIMITS.remotePage) {
      const keys = names
        .slice(start, start + LIMITS.remotePage)
        .map((name) => sql`${nameKey(doctype, name)}`);
      const rows = await this.#site.database.reader.all(
        sql`select "name", "_revision" as "revision", "creation", "modified" from ${ident(doctype.name)} where "name" in (${join(keys)})`,
      );
      for (const row of rows)
        found.set(String(row['name']), { ...versionOf(row), modified: String(row['modified']) });
    }
    return found;
  }
}

/** As stored here, with six digits. */
function padded(modified: unknown): string {
  const [second = '', fraction = ''] = String(modified).split('.');
  return `${second}.${fraction.padEnd(6, '0')}`;
}
