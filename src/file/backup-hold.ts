import type { Connection } from '../db/database.ts';
import type { Dialect } from '../db/dialect.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { type Sql, type Statement, sql } from '../db/sql.ts';
import { integer, table, text } from '../db/table-spec.ts';
import type { Site } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { waited } from '../kernel/wait.ts';

/** The interval at which a hold is renewed, and the time after which it has ended without a word; milliseconds. */
const BEAT = 10_000;
const LEASE = 60_000;

/** `_backup_hold`: work that needs every stored object, by its name; `seen_at` is milliseconds since the epoch. */
export function holdTable(dialect: Dialect): readonly (Sql | Statement)[] {
  const columns = [text('holder'), text('token'), integer('seen_at')];
  return dialect.changeSql({ change: 'create_table', table: table('_backup_hold', columns) });
}

/** Another process does the same work for this site, such as making a backup. */
export class BackupRunning extends ServiceError {
  constructor(work: string) {
    super('ServiceUnavailableError', `Another ${work} of this site is running`);
  }
}

type Holding = Pick<Site, 'database' | 'clock' | 'random' | 'observe'>;

/** The right to find every object that the database lists now or later, until it is released. */
export interface BackupHold {
  /** @throws ServiceError when this process was silent for so long that the hold has ended */
  check(): void;
  release(): Promise<void>;
}

/**
 * Takes the hold of this name: nobody else gets it meanwhile, and no process deletes objects that a file needed when
 * it began or later.
 * @throws BackupRunning when another process has it
 */
export async function holdObjects(site: Holding, holder: string, work = 'backup'): Promise<BackupHold> {
  const { database, clock, observe } = site;
  const token = site.random.hash(16);
  const now = sharedMillis(database.reader, clock);
  const taken = await database.transaction((db) =>
    db.run(
      sql`insert into "_backup_hold" as h ("holder", "token", "seen_at") values (${holder}, ${token}, ${now})
        on conflict ("holder") do update set "token" = excluded."token", "seen_at" = excluded."seen_at"
        where h."seen_at" <= ${now} - ${LEASE} or h."seen_at" > ${now} + ${LEASE}`,
    ),
  );
  if (taken === 0) throw new BackupRunning(work);

  const abort = new AbortController();
  let sure = performance.now() + LEASE;
  const renewing = (async () => {
    while (await waited(BEAT, abort.signal)) {
      const asked = performance.now();
      try {
        const renewed = await database.transaction((db) =>
          db.run(
            sql`update "_backup_hold" set "seen_at" = ${sharedMillis(db, clock)}
              where "holder" = ${holder} and "token" = ${token}`,
          ),
        );
        if (renewed === 0) return;
        sure = asked + LEASE;
      } catch (error) {
        observe({ kind: 'unexpected', where: 'renewing the hold of a backup', error });
      }
    }
  })();
  return {
    check() {
      if (performance.now() < sure) return;
      throw new ServiceError('ServiceUnavailableError', 'The backup was silent for too long: make it again');
    },
    async release() {
      abort.abort();
      await renewing;
      // Best effort: without renewal it soon ends anyway.
      await database
        .transaction((db) =>
          db.run(sql`delete from "_backup_hold" where "holder" = ${holder} and "token" = ${token}`),
        )
        .catch(() => undefined);
    },
  };
}

/**
 * True while somebody holds the stored objects. Ask after the commit that gave an object up: a hold that begins later
 * does not need it.
 */
export async function isHeld(db: Connection, { clock }: Pick<Site, 'clock'>): Promise<boolean> {
  const now = sharedMillis(db, clock);
  const row = await db.get(
    sql`select 1 as held from "_backup_hold"
      where "seen_at" > ${now} - ${LEASE} and "seen_at" <= ${now} + ${LEASE} limit 1`,
  );
  return row !== undefined;
}
