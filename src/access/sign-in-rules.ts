import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isListed } from './address-list.ts';

/** Time and address of a sign-in. */
export interface SignIn {
  readonly user: string;
  readonly address: string;
  /** The current time in the stored form, in the site's time zone. */
  readonly now: string;
}

/**
 * Applies the sign-in rules of a User document: `restrict_ip`, and the hours `login_after` to `login_before`.
 * Call it after authentication, so that no one else learns the rules.
 * @throws ServiceError AuthenticationError
 */
export async function requireSignInRules(
  connection: Connection,
  { user, address, now }: SignIn,
): Promise<void> {
  const row = await connection.get(
    sql`select "restrict_ip", "login_after", "login_before" from "User" where "name" = ${user}`,
  );
  const listed = String(row?.['restrict_ip'] ?? '')
    .split(/[\s,]+/)
    .filter((one) => one !== '');
  if (listed.length > 0 && !isListed(listed, address)) {
    throw signInRefused('Access not allowed from this IP Address');
  }
  const hour = Number(now.slice(11, 13));
  const [after, before] = [Number(row?.['login_after'] ?? 0), Number(row?.['login_before'] ?? 0)];
  if ((before > 0 && hour > before) || (after > 0 && hour < after)) {
    throw signInRefused('Login not allowed at this time');
  }
}

/** The refusal of a sign-in. */
export function signInRefused(message: string): ServiceError {
  return new ServiceError('AuthenticationError', message, { isSignIn: true });
}
