import type { Connection, Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { parseAddress, plainAddress } from '../kernel/ip-address.ts';
import { LIMITS } from '../kernel/limits.ts';
import { digestSecret } from './digest.ts';

/** How many tries are free, and how long whoever used them up waits at first, milliseconds. */
export interface AttemptPolicy {
  readonly attempts: number;
  readonly delay: number;
}

/** A day without a failure, and all is forgotten. */
const FORGOTTEN = 24 * 60 * 60_000;
/** An address from which the user signed in is known for this long. */
const KNOWN = 30 * 24 * 60 * 60_000;
/** Many people may share one address. */
const ADDRESS_FACTOR = 5;

/** One try to prove who one is. It is counted as failed unless it is settled otherwise. */
export interface Attempt {
  /** It failed: who has no tries left waits from now on. */
  failed(): Promise<void>;
  /** Who it was proved to be: forgets the failures, and remembers the address. In the transaction of what success brings. */
  succeeded(connection: Connection): Promise<void>;
  /** Neither: it never came to a verdict, or there is more to prove. */
  undecided(connection: Connection): Promise<void>;
}

/**
 * Counts a try for the account, and for the address, before anything is verified, so that many at once are counted, too.
 * Who has failed too often waits. As long as it is not known whether those under way fail, they may be some more
 * (`LIMITS.loginsUndecided`): users whose programs sign in many times at once are not refused, and guesses are bounded all the same.
 * Failures from elsewhere do not keep a user out at an address that is known for this user.
 * @param account the user's name, or what was typed when there is none: unknown users cost the same
 * @param address of the socket, or what a trusted proxy says
 * @throws ServiceError TooManyRequestsError with `Retry-After`; this try is then not counted
 */
export async function beginAttempt(
  database: Database,
  clock: Clock,
  policy: AttemptPolicy,
  account: string,
  address: string,
): Promise<Attempt> {
  const now = nowMillis(clock);
  const place = networkOf(address);
  const pair = keyOf('pair', account, place);
  const everywhere = keyOf('account', account);
  const from = keyOf('address', place);
  const counted = await database.transaction(async (connection) => {
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

/** Forgets the failures of an account: an administrator gave it a new password. */
export async function forgetAttempts(connection: Connection, account: string): Promise<void> {
  await connection.run(sql`delete from "_login_attempt" where "key" = ${keyOf('account', account)}`);
}

/**
 * Counts something that has a limit per stretch of time, such as mails to one user. Resolves to whether it is within it.
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
        values (${keyOf(...what)}, 1, 0, ${now + window})
        on conflict ("key") do update set
          "count" = case when "_login_attempt"."expires_at" <= ${now} then 1 else "_login_attempt"."count" + 1 end,
          "expires_at" = case when "_login_attempt"."expires_at" <= ${now}
            then excluded."expires_at" else "_login_attempt"."expires_at" end
        returning "count"`,
  );
  return Number(row?.['count']) <= most;
}

/** Deletes what is over, at most `batch` rows. Resolves to how many. */
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

// The row is locked by the insertion, so of many at once each sees the count of those before. True when this try alone makes the
// next one wait.
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

// There is a longest wait: nobody is locked out for good, the last administrator least of all.
async function setWait(
  connection: Connection,
  { key, attempts, delay }: Counter,
  tries: number,
  now: number,
): Promise<void> {
  const wait = Math.min(delay * 2 ** Math.min(tries - attempts, 30), LIMITS.loginDelayMost);
  await connection.run(sql`update "_login_attempt" set "until_at" = ${now + wait} where "key" = ${key}`);
}

// A wait that this try set goes with it, lest a success leave its own behind.
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

/** The refusal of whoever tried too often; `wait` in milliseconds. */
export function tooMany(wait: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new ServiceError('TooManyRequestsError', `Too many attempts. Try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

function keyOf(...what: readonly string[]): string {
  return digestSecret(JSON.stringify(what));
}

/** An address of IPv4, or the network of 64 bits that one customer of a provider has of IPv6. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === null) return text;
  const plain = plainAddress(address);
  return plain.length === 4 ? plain.join('.') : `${plain.subarray(0, 8).join('.')}/64`;
}
