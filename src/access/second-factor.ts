import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { digestSecret } from './digest.ts';
import type { SecretSite } from './seal.ts';
import { deleteSecret, loadSecret, writeSecret } from './secret.ts';

/** The parts of a site that the second factor uses. */
export type FactorSite = SecretSite & { readonly clock: Clock };

/** The setup data of an authenticator app; shown once. */
export interface Enrolment {
  /** Base32, for typing. */
  readonly secret: string;
  /** The secret as `otpauth://…`, for a QR code. */
  readonly otpauth: string;
}

const RECOVERY_CODES = 10;
/** Characters of five random bits each. 130 bits make a code impossible to guess from its digest. */
const CODE_LENGTH = 26;
/** The place of the secret in `_secret`: under the user's document, but no field. */
const PLACE = ['User', 'otp_secret'] as const;

/** The state of a user's second factor: confirmed, or pending; null without any. */
export async function secondFactorOf(
  connection: Connection,
  user: string,
): Promise<{ readonly isConfirmed: boolean; readonly since: number } | null> {
  const row = await connection.get(
    sql`select "confirmed", "created_at" from "_second_factor" where "user" = ${user}`,
  );
  return row ? { isConfirmed: row['confirmed'] === 1, since: Number(row['created_at']) } : null;
}

/**
 * Begins the setup of an app and replaces a pending setup.
 * @throws ServiceError ValidationError when the user has a second factor
 */
export async function enrol(site: FactorSite, connection: Connection, user: string): Promise<Enrolment> {
  const { generateSecret, generateURI } = await import('otplib');
  const secret = generateSecret();
  const now = nowMillis(site.clock);
  const begun = await connection.run(
    sql`insert into "_second_factor" ("user", "confirmed", "last_step", "created_at") values (${user}, 0, 0, ${now})
        on conflict ("user") do update set "last_step" = 0, "created_at" = excluded."created_at"
          where "_second_factor"."confirmed" = 0`,
  );
  if (begun === 0) throw new ServiceError('ValidationError', 'A second factor is already set up');
  await writeSecret(site, connection, PLACE[0], user, PLACE[1], secret);
  return { secret, otpauth: generateURI({ issuer: 'Chancery', label: user, secret }) };
}

/**
 * Confirms the setup after the user proved possession of the app. Resolves to single-use recovery codes,
 * which are shown once.
 */
export async function confirmEnrolment(
  site: FactorSite,
  connection: Connection,
  user: string,
): Promise<readonly string[]> {
  await connection.run(sql`update "_second_factor" set "confirmed" = 1 where "user" = ${user}`);
  return makeRecoveryCodes(site, connection, user);
}

/** Makes new recovery codes and voids the former ones. */
export async function makeRecoveryCodes(
  site: FactorSite,
  connection: Connection,
  user: string,
): Promise<readonly string[]> {
  await connection.run(sql`delete from "_recovery_code" where "user" = ${user}`);
  const codes = Array.from({ length: RECOVERY_CODES }, () => site.random.hash(CODE_LENGTH));
  for (const code of codes) {
    await connection.run(
      sql`insert into "_recovery_code" ("digest", "user") values (${digestOf(code)}, ${user})`,
    );
  }
  return codes.map((code) => code.replace(/(.{7})(?=.)/g, '$1-'));
}

/**
 * Whether a code of the app or a recovery code is valid. A code is used up on all nodes; a code of the app
 * also invalidates earlier ones.
 */
export async function takeCode(
  site: FactorSite,
  connection: Connection,
  user: string,
  given: string,
): Promise<boolean> {
  const code = given.replace(/[\s-]/g, '').toLowerCase();
  if (/^\d{6}$/.test(code)) return takeAppCode(site, connection, user, code);
  if (code.length !== CODE_LENGTH) return false;
  const used = await connection.run(
    sql`delete from "_recovery_code" where "digest" = ${digestOf(code)} and "user" = ${user}`,
  );
  return used === 1;
}

async function takeAppCode(
  site: FactorSite,
  connection: Connection,
  user: string,
  token: string,
): Promise<boolean> {
  const secret = await loadSecret(site, connection, PLACE[0], user, PLACE[1]);
  if (secret === null) return false;
  const { verifySync } = await import('otplib');
  const epoch = Math.floor(site.clock.micros() / 1_000_000);
  // Clocks of phones drift, so the previous and the next code are valid, too.
  const found = verifySync({ secret, token, epoch, epochTolerance: 30 });
  if (!found.valid || !('timeStep' in found)) return false;
  const step = found.timeStep;
  const used = await connection.run(
    sql`update "_second_factor" set "last_step" = ${step} where "user" = ${user} and "last_step" < ${step}`,
  );
  return used === 1;
}

/** Deletes the second factor: turned off, reset by an administrator, or the user was deleted. */
export async function dropSecondFactor(connection: Connection, user: string): Promise<void> {
  await connection.run(sql`delete from "_second_factor" where "user" = ${user}`);
  await connection.run(sql`delete from "_recovery_code" where "user" = ${user}`);
  await deleteSecret(connection, PLACE[0], user, PLACE[1]);
}

function digestOf(code: string): string {
  return digestSecret(`recovery code ${code}`);
}
