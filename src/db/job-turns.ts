import { JOBS, type JobTurn } from '../kernel/jobs.ts';
import type { Database } from './database.ts';
import type { Dialect } from './dialect.ts';
import { type Sql, type Statement, sql } from './sql.ts';
import { integer, table, text } from './table-spec.ts';

/** `_job_turn`: when each periodic job is due next on any server; milliseconds since the epoch. */
export function jobTurnTable(dialect: Dialect): readonly (Sql | Statement)[] {
  return dialect.changeSql({
    change: 'create_table',
    table: table('_job_turn', [text('job'), integer('next_at')]),
  });
}

/**
 * Lets one server of a database at a time run a periodic job. A row holds the turn, and not a lock: locks of a
 * session do not work through poolers, and a transaction would have to stay open for the whole job. A run that takes
 * longer than its interval may overlap with the next one, which does no harm.
 *
 * A turn further away than any interval was taken before the clock of the database was set back, so it counts as due.
 * The statement goes out in a transaction, whose outcome is known: sent twice, it would refuse the turn it has taken.
 */
export function jobTurns(database: Database): JobTurn {
  return async (job, every) => {
    const now = sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
    const take = sql`with t as (insert into "_job_turn" as j ("job", "next_at")
            values (${job}, ${now} + cast(${every} as bigint))
            on conflict ("job") do update set "next_at" = excluded."next_at"
            where j."next_at" <= ${now} or j."next_at" > ${now} + cast(${JOBS[job]} as bigint) returning 1)
          select case when exists (select from t) then 0
            else (select "next_at" - ${now} from "_job_turn" where "job" = ${job}) end as "left"`;
    const row = await database.transaction((connection) => connection.get(take));
    return Number(row?.['left'] ?? 0);
  };
}
