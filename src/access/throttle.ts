import type { Connection, Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { parseAddress, plainAddress } from '../kernel/ip-address.ts';
import { LIMITS } from '../kernel/limits.ts';
import { digestSecret } from './digest.ts';

/** The number of free attempts, and the first wait after them, milliseconds. */
export interface AttemptPolicy {
  readonly attempts: number;
  readonly delay: number;
}

/** A day without a failure resets the count. */
const FORGOTTEN = 24 * 60 * 60_000;
/** An address with a successful sign-in stays known to the user for this time. */
const KNOWN = 30 * 24 * 60 * 60_000;
/** Many people may share one address. */
const ADDRESS_FACTOR = 5;

/** One sign-in attempt. It counts as failed until it is settled otherwise. */
export interface SignInAttempt {
  /** Records a failure. Without attempts left, the account waits from now on. */
  failed(): Promise<void>;
  /**
   * Records a success: clears the failures and remembers the address. Call it in the transaction of the
   * sign-in.
   */
  succeeded(connection: Connection): Promise<void>;
  /** Records neither: the attempt had no verdict, or another factor is pending. */
  undecided(connection: Connection): Promise<void>;
}

/**
 * Counts an attempt for the account and for the address before verification, so that concurrent attempts
 * count, too. Refuses an account or address with too many failures. While attempts are in flight and
 * undecided, `LIMITS.loginsUndecided` more are allowed: programs may sign in many times at once, and guesses
 * stay bounded. Failures from other addresses do not lock a user out at a known address.
 * @param account the user's name, or the typed text when there is no such user: unknown users cost the same
 * @param address of the socket, or from a trusted proxy
 * @throws ServiceError TooManyRequestsError with `Retry-After`; this attempt is then not counted
 */
export async function beginAttempt(
  database: Database,
  clock: Clock,
  policy: AttemptPolicy,
  account: string,
  address: string,
): Promise<SignInAttempt> {
  const now = nowMillis(clock);
  const place = networkOf(address);
  const pair = attemptKey('pair', account, place);
  const everywhere = attemptKey('account', account);
  const from = attemptKey('address', place);
  const counted = await database.transaction(async (connection) => {
    // Whoever makes room on a full disk signs in first.
    connection.spendReserve?.();
    const known = await connection.get(
      sql`select "key" from "_login_attempt" where "key" = ${pair} and "expires_at" > ${now}`,
    );
    const { attempts, delay } = policy;
    const own = { key: known ? pair : everywhere, attempts, delay };
    const shared = { key: from, attempts: attempts * ADDRESS_FACTOR, delay };
    return [
      { ...own, waits: await count(connection, own, now) },
      { ...shared, waits: await count(connection, shared, now) },
    ] as const;
  });
  const [own, shared] = counted;
  return {
    async failed() {
      await database.transaction(async (connection) => {
        for (const counter of counted) await delayNext(connection, counter, nowMillis(clock));
      });
    },
    async succeeded(connection) {
      if (own.key !== pair) await connection.run(sql`delete from "_login_attempt" where "key" = ${own.key}`);
      await connection.run(
        sql`insert into "_login_attempt" ("key", "count", "until_at", "expires_at")
            values (${pair}, 0, 0, ${now + KNOWN})
            on conflict ("key") do update set "count" = 0, "until_at" = 0, "expires_at" = excluded."expires_at"`,
      );
      await uncount(connection, shared);
    },
    async undecided(connection) {
      for (const counter of counted) await uncount(connection, counter);
    },
  };
}

/** Clears the failures of an account after an administrator set a new password. */
export async function forgetAttempts(connection: Connection, account: string): Promise<void> {
  await connection.run(sql`delete from "_login_attempt" where "key" = ${attemptKey('account', account)}`);
}

/**
 * Counts an event that is limited per time window, such as mails to one user. Resolves to whether it is
 * within the limit.
 * @param window milliseconds
 */
export async function countWithin(
  connection: Connection,
  clock: Clock,
  what: readonly string[],
  most: number,
  window: number,
): Promise<boolean> {
  const now = nowMillis(clock);
  const row = await connection.get(
    sql`insert into "_login_attempt" ("key", "count", "until_at", "expires_at")
        values (${attemptKey(...what)}, 1, 0, ${now + window})
        on conflict ("key") do update set
          "count" = case when "_login_attempt"."expires_at" <= ${now} then 1 else "_login_attempt"."count" + 1 end,
          "expires_at" = case when "_login_attempt"."expires_at" <= ${now}
            then excluded."expires_at" else "_login_attempt"."expires_at" end
        returning "count"`,
  );
  return Number(row?.['count']) <= most;
}

/** Deletes at most `batch` expired rows. Resolves to their number. */
export function pruneAttempts(connection: Connection, clock: Clock, batch: number): Promise<number> {
  const now = nowMillis(clock);
  return connection.run(
    sql`delete from "_login_attempt" where "key" in
          (select "key" from "_login_attempt" where "expires_at" <= ${now} limit ${batch})`,
  );
}

interface Counter extends AttemptPolicy {
  readonly key: string;
}

// The insertion locks the row, so each concurrent attempt sees the count of earlier ones. True when this
// attempt alone makes the next one wait.
async function count(connection: Connection, counter: Counter, now: number): Promise<boolean> {
  const row = await connection.get(
    sql`insert into "_login_attempt" ("key", "count", "until_at", "expires_at")
        values (${counter.key}, 1, 0, ${now + FORGOTTEN})
        on conflict ("key") do update set
          "count" = case when "_login_attempt"."expires_at" <= ${now} then 1 else "_login_attempt"."count" + 1 end,
          "until_at" = case when "_login_attempt"."expires_at" <= ${now} then 0 else "_login_attempt"."until_at" end,
          "expires_at" = case when "_login_attempt"."expires_at" > excluded."expires_at"
            then "_login_attempt"."expires_at" else excluded."expires_at" end
        returning "count", "until_at"`,
  );
  const until = Number(row?.['until_at']);
  if (until > now) throw tooMany(until - now);
  const tries = Number(row?.['count']);
  if (tries < counter.attempts + LIMITS.loginsUndecided) return false;
  await setWait(connection, counter, tries, now);
  return true;
}

async function delayNext(connection: Connection, counter: Counter, now: number): Promise<void> {
  const row = await connection.get(sql`select "count" from "_login_attempt" where "key" = ${counter.key}`);
  const tries = Number(row?.['count'] ?? 0);
  if (tries >= counter.attempts) await setWait(connection, counter, tries, now);
}

// The wait is bounded: no account is locked out for good, least of all the last administrator.
async function setWait(
  connection: Connection,
  { key, attempts, delay }: Counter,
  tries: number,
  now: number,
): Promise<void> {
  const wait = Math.min(delay * 2 ** Math.min(tries - attempts, 30), LIMITS.loginDelayMost);
  await connection.run(sql`update "_login_attempt" set "until_at" = ${now + wait} where "key" = ${key}`);
}

// Also removes a wait set by this attempt, so that a success leaves none behind.
async function uncount(
  connection: Connection,
  { key, waits }: { readonly key: string; readonly waits: boolean },
): Promise<void> {
  const until = waits ? sql`0` : sql`"until_at"`;
  await connection.run(
    sql`update "_login_attempt" set "count" = case when "count" > 0 then "count" - 1 else 0 end,
        "until_at" = ${until} where "key" = ${key}`,
  );
}

/** The error after too many attempts; `wait` in milliseconds. */
export function tooMany(wait: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new ServiceError('TooManyRequestsError', `Too many attempts. Try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

function attemptKey(...what: readonly string[]): string {
  return digestSecret(JSON.stringify(what));
}

/** An IPv4 address, or the 64-bit network of an IPv6 address, which providers give to one customer. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === null) return text;
  const plain = plainAddress(address);
  return plain.length === 4 ? plain.join('.') : `${plain.subarray(0, 8).join('.')}/64`;
}
