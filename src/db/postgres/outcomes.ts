import { randomBytes } from 'node:crypto';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import type { Row } from '../database.ts';
import { OutcomeUnknown } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import { createOnce } from './create-once.ts';
import { qualify } from './qualify.ts';

/** Commits between two deletions of tokens that nobody will ask for. */
const PRUNE_AFTER = 1_000;
/** Milliseconds between two questions while the database cannot be reached. */
const PAUSE = 100;

const EXISTS = `select 1 from pg_class where relname = '_commit'
  and relnamespace = (select oid from pg_namespace where nspname = $1)`;
const CREATE = `create table if not exists "_commit" (
  "token" uuid primary key, "made" boolean not null, "at" timestamptz not null default statement_timestamp()
)`;
// A transaction without an id has written nothing, so nobody needs to know whether it was committed.
const NOTE = `insert into "_commit" ("token", "made")
  select $1::uuid, true where pg_current_xact_id_if_assigned() is not null`;
// Waits for a transaction that has written the token and is still open. A token that is not there is written, so
// that a commit on its way fails. The update makes the answer as durable as the commit that it tells of.
const ASK = `insert into "_commit" as c ("token", "made") values ($1::uuid, false)
  on conflict ("token") do update set "at" = excluded."at" returning c."made"`;
// Killed processes leave tokens behind, and questions leave those of commits that were not made. A clock could jump
// while a commit is in doubt, so their age is a number of transactions.
const PRUNE = `delete from "_commit" where ("made" and "token" >= $1::uuid and "token" < $2::uuid)
  or age(xmin) > $3::int`;
/** Far more transactions than begin on one server while a commit is in doubt, which is for seconds. */
const LEFT_AFTER = 10_000_000;

/**
 * Finds out whether a transaction was committed whose reply to the commit got lost. Each transaction writes a
 * unique token with its commit. After a loss the token is asked for on another connection: who writes it first,
 * the transaction or the question, decides.
 */
export class Outcomes {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #millis: number;
  readonly #leftAfter: number;
  /** The tokens of a process are in order, so that they lie together in the index. */
  readonly #process = randomBytes(8).toString('hex');
  #last = 0;
  #prunedUpTo = 0;
  /** The numbers of tokens whose commits are not answered yet, in order. */
  readonly #open = new Set<number>();

  /**
   * `millis`: the time for a question. `leftAfter`: the transactions of the server after which a token counts as
   * left behind.
   */
  constructor(pool: Pool, schema: string, millis: number, leftAfter = LEFT_AFTER) {
    this.#pool = pool;
    this.#schema = schema;
    this.#millis = millis;
    this.#leftAfter = leftAfter;
  }

  /** The number of the next token, until `forget`. */
  next(): number {
    this.#last += 1;
    this.#open.add(this.#last);
    return this.#last;
  }

  /** The statement that writes a token, to be sent with the commit. */
  note(token: number): Statement {
    return { text: NOTE, values: [this.#text(token)] };
  }

  /** The outcome of this token is known. */
  forget(token: number): void {
    this.#open.delete(token);
    if (this.#last - this.#prunedUpTo < PRUNE_AFTER) return;
    const from = this.#prunedUpTo;
    const [oldest = this.#last + 1] = this.#open;
    this.#prunedUpTo = this.#last;
    // What it leaves is deleted for its age.
    const values = [this.#text(from), this.#text(oldest), this.#leftAfter];
    this.#query(PRUNE, values, LIMITS.lockTimeout).catch(() => {});
  }

  /**
   * True when the transaction with this token was committed; false when it never will be.
   * @throws ServiceError OutcomeUnknownError when the database does not answer in time
   */
  async wasMade(token: number): Promise<boolean> {
    const until = performance.now() + this.#millis;
    for (;;) {
      try {
        const [row] = await this.#query(ASK, [this.#text(token)], Math.max(1, until - performance.now()));
        return row?.['made'] === 1;
      } catch (error) {
        if (performance.now() + PAUSE >= until) throw new OutcomeUnknown(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  async #query(text: string, values: (string | number)[], millis: number): Promise<Row[]> {
    const client = await connected(this.#pool, millis);
    let isHealthy = false;
    try {
      const patient = { text: qualify(text, this.#schema), values, query_timeout: millis };
      const { rows } = await replicated(client, () => client.query<Row>(patient));
      isHealthy = true;
      return rows;
    } finally {
      client.release(!isHealthy);
    }
  }

  #text(token: number): string {
    return this.#process + token.toString(16).padStart(16, '0');
  }
}

/** The routine of PostgreSQL's warning that a commit has stopped to wait for its synchronous standbys. */
const WAIT = 'SyncRepWaitForLSN';

/** Rejects also when the server has committed and somebody ended its wait for standbys: a failover may lose it. */
export async function replicated<T>(client: ClientBase, commit: () => Promise<T>): Promise<T> {
  let isReplicated = true;
  const hear = ({ routine }: { readonly routine?: string | undefined }) => {
    if (routine === WAIT) isReplicated = false;
  };
  client.on('notice', hear);
  try {
    const result = await commit();
    if (!isReplicated) throw new Error('committed, but perhaps not on a standby');
    return result;
  } finally {
    client.off('notice', hear);
  }
}

/** A connection of the pool, within this time. One that comes later goes back. */
function connected(pool: Pool, millis: number): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new Error('no connection in time'));
    }, millis);
    pool.connect().then(
      (client) => {
        clearTimeout(timer);
        if (isLate) client.release();
        else resolve(client);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Creates the table of the tokens, unless it exists. */
export async function createOutcomes(client: ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query(EXISTS, [schema]);
  if (rowCount === 0) await createOnce(client, qualify(CREATE, schema));
}
