/** The turns of periodic jobs, which servers of one database share. */
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import pg, { type QueryConfig } from 'pg';
import { jobTurns, jobTurnTable } from '../../src/db/job-turns.ts';
import { sql } from '../../src/db/sql.ts';
import { JOBS, type JobName } from '../../src/kernel/jobs.ts';
import { freshDatabase } from '../support/database.ts';

const database = await freshDatabase('postgres');
await database.transaction(async (db) => {
  for (const statement of jobTurnTable(database.dialect)) await db.run(statement);
});
const turn = jobTurns(database);
afterEach(() => mock.restoreAll());

const DAY = 24 * 60 * 60_000;
/** Sets the clock of the database back by so many milliseconds, as turns see it. */
const setBack = (job: JobName, millis: number) =>
  database.transaction((db) =>
    db.run(sql`update "_job_turn" set "next_at" = "next_at" + ${millis} where "job" = ${job}`),
  );

test('a turn that is taken is taken for its interval', async () => {
  assert.equal(await turn('trim_change_feed', JOBS.trim_change_feed), 0);
  const left = await turn('trim_change_feed', JOBS.trim_change_feed);
  assert.ok(left > 0 && left <= JOBS.trim_change_feed, String(left));
});

test('a turn with a shorter interval does not end a longer one', async () => {
  assert.equal(await turn('collect_unused_files', JOBS.collect_unused_files), 0);
  assert.ok((await turn('collect_unused_files', 1_000)) > 1_000);
});

for (const millis of [DAY, 1_000 * DAY]) {
  test(`a clock that is set back by ${millis / DAY} days holds up no job`, async () => {
    await turn('mask_logged_responses', JOBS.mask_logged_responses);
    await setBack('mask_logged_responses', millis);
    assert.equal(await turn('mask_logged_responses', JOBS.mask_logged_responses), 0);
    assert.ok((await turn('mask_logged_responses', JOBS.mask_logged_responses)) > 0);
  });
}

test('a turn whose answer gets lost is still taken', async () => {
  const { query } = pg.Client.prototype;
  const lost = new Set<string>();
  // The first reply of each: the statement of a transaction takes effect with its commit.
  mock.method(pg.Client.prototype, 'query', async function (this: pg.Client, config: string | QueryConfig) {
    const result: unknown = await Reflect.apply(query, this, [config]);
    const text = typeof config === 'string' ? config : config.text;
    const kind = text === 'commit' || text.includes('"_job_turn"') ? text : null;
    if (kind === null || lost.has(kind)) return result;
    lost.add(kind);
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  });
  assert.equal(await turn('delete_expired_records', JOBS.delete_expired_records), 0);
  assert.ok(lost.size > 0);
});
