import { OWN_WORK } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Connection, Row } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Site } from '../document/contract.ts';
import { createDocument } from '../document/verbs/create.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { formatTimestamp, parseTimestamp } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';

/** A finished run. Times are milliseconds since the epoch. */
export interface BackupRun {
  readonly kind: 'Backup' | 'Rehearsal';
  /** `Skipped`: there was no space, nothing to rehearse, or the place of backups did not answer. */
  readonly status: 'Succeeded' | 'Failed' | 'Skipped';
  /** The name of the backup; null when there is none. */
  readonly backup: string | null;
  /** The moment whose state the backup holds. */
  readonly moment: number | null;
  readonly started: number;
  readonly seconds: number;
  readonly rows?: number;
  /** Documents compared by a rehearsal. */
  readonly documents?: number;
  readonly files?: number;
  readonly bytes?: number;
  readonly problems: readonly string[];
}

/** The last run of a kind. */
export type LastRun = Pick<BackupRun, 'status' | 'backup' | 'moment' | 'started'>;

/** Adds a document of `Backup Run`, and deletes the oldest beyond `LIMITS.backupRuns`. */
export async function recordRun(site: Site, run: BackupRun): Promise<void> {
  const time = (millis: number | null) =>
    millis === null ? null : formatTimestamp(millis * 1_000, site.config.timeZone);
  const { rows: record_count = 0, documents = 0, files = 0, bytes = 0, problems, ...rest } = run;
  await unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) => {
      await createDocument(ctx, 'Backup Run', {
        ...{ ...rest, record_count, documents, files, bytes },
        moment: time(run.moment),
        started: time(run.started),
        problems: problems.join('\n'),
      });
      await ctx.db.run(
        sql`delete from "Backup Run" where "name" in (select "name" from "Backup Run"
              order by "creation" desc, "name" limit ${LIMITS.pruneBatch} offset ${LIMITS.backupRuns})`,
      );
    },
    OWN_WORK,
  );
}

/** What the runs tell about the backups of a site. */
export interface BackupState {
  /** The newest moment that a successful backup or rehearsal held; null without any. */
  readonly moment: number | null;
  readonly backup: LastRun | null;
  readonly rehearsal: LastRun | null;
}

/** The state of the backups. */
export async function backupState(db: Connection, { config }: Pick<Site, 'config'>): Promise<BackupState> {
  const good = await db.get(
    sql`select "moment" from "Backup Run" where "status" = 'Succeeded' and "moment" is not null
        order by "moment" desc limit 1`,
  );
  const last = async (kind: BackupRun['kind']) =>
    lastRun(
      await db.get(
        sql`select "status", "backup", "moment", "started" from "Backup Run" where "kind" = ${kind}
            order by "creation" desc limit 1`,
      ),
    );
  const lastRun = (row: Row | undefined): LastRun | null =>
    row
      ? {
          status: String(row['status']) as LastRun['status'],
          backup: row['backup'] === null ? null : String(row['backup']),
          moment: millis(row['moment']),
          started: millis(row['started']) ?? 0,
        }
      : null;
  const millis = (text: unknown) =>
    typeof text === 'string' ? Math.floor(parseTimestamp(text, config.timeZone) / 1_000) : null;
  return {
    moment: millis(good?.['moment']),
    backup: await last('Backup'),
    rehearsal: await last('Rehearsal'),
  };
}
