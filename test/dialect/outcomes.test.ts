/** Tokens of commits: which of them are deleted. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createOutcomes, Outcomes } from '../../src/db/postgres/outcomes.ts';
import { qualify } from '../../src/db/postgres/qualify.ts';
import { postgresSettings } from '../../src/db/postgres/settings.ts';
import type { Statement } from '../../src/db/sql.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const { url, drop } = await freshDatabaseUrl('postgres');
const { client, urls, schema } = postgresSettings(url);
const pool = new pg.Pool({ ...client, connectionString: urls[0] ?? '' });
const own = schema ?? '';

before(async () => {
  const connection = await pool.connect();
  await connection.query(`create schema "${own}"`);
  await createOutcomes(connection, own);
  connection.release();
});
after(async () => {
  await pool.end();
  await drop();
});

const outcomesOf = (leftAfter?: number) => new Outcomes(pool, own, 10_000, leftAfter);
const ask = async (statement: Statement) =>
  (await pool.query(qualify(statement.text, own), [...statement.values])).rows;
const count = async () => (await ask({ text: 'select 1 from "_commit"', values: [] })).length;

/** Commits a transaction with this token. */
async function commit(note: Statement): Promise<void> {
  const connection = await pool.connect();
  await connection.query('begin');
  // Only what has an id writes a token.
  await connection.query('select pg_current_xact_id()');
  await connection.query({ text: qualify(note.text, own), values: [...note.values] });
  await connection.query('commit');
  connection.release();
}

/** Commits so much that the process deletes its own tokens. Resolves when they are gone. */
async function prune(process: Outcomes, left: number): Promise<void> {
  const token = process.next();
  await commit(process.note(token));
  process.forget(token);
  for (let n = 0; n < 1_000; n += 1) process.forget(process.next());
  await until(async () => (await count()) === left);
}

test('a clock that jumps does not delete the token of a commit in doubt', async () => {
  const [mine, other] = [outcomesOf(), outcomesOf()];
  const token = mine.next();
  await commit(mine.note(token));
  await ask({ text: `update "_commit" set "at" = "at" - interval '1 year'`, values: [] });
  await prune(other, 1);
  assert.equal(await mine.wasMade(token), true);
});

test('tokens of killed processes are deleted after so many transactions', async () => {
  const killed = outcomesOf();
  await commit(killed.note(killed.next()));
  for (let n = 0; n < 4; n += 1) await ask({ text: 'select pg_current_xact_id()', values: [] });
  await prune(outcomesOf(3), 0);
});
