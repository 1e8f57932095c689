import { confirmEnrolment, enrol, secondFactorOf, takeCode } from '../../access/second-factor.ts';
import { signInRefused } from '../../access/sign-in-rules.ts';
import type { SignInAttempt } from '../../access/throttle.ts';
import { findToken, makeToken, takeToken } from '../../access/token.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { HttpCall } from '../http-call.ts';
import { countAttempt, type Proof, tellingRefusal } from './prove-password.ts';
import { type Account, answerSession, beginSession, findAccount, requireUnchanged } from './sign-in.ts';

/**
 * True when this user needs more than a password to sign in: the user has a second factor, or a role requires
 * one.
 */
export async function isCodeNeeded({ site }: HttpCall, account: Account): Promise<boolean> {
  const factor = await secondFactorOf(site.database.reader, account.name);
  if (factor?.isConfirmed) return true;
  return site.settings.secondFactors && isAskedFor(site.database.reader, account);
}

async function isAskedFor(connection: Connection, account: Account): Promise<boolean> {
  const automatic = account.isWebsiteUser ? sql`('All')` : sql`('All', 'Desk User')`;
  const row = await connection.get(
    sql`select 1 as "asked" from "Role" as "r" where "r"."two_factor_auth" = 1 and "r"."disabled" = 0 and ("r"."name" in ${automatic}
        or exists (select 1 from "Has Role" as "h" where "h"."parent" = ${account.name} and "h"."parenttype" = 'User'
          and "h"."role" = "r"."name")) limit 1`,
  );
  return row !== undefined;
}

/**
 * Asks for the code after a correct password. A code that came with the password decides at once. Otherwise
 * the client gets a `tmp_id` to send with the code; a user without a second factor also gets the secret to
 * set one up.
 */
export async function askForCode(call: HttpCall, proof: Proof, otp: string): Promise<string | null> {
  const { site } = call;
  const user = proof.account.name;
  if (otp !== '') return signInWithCode(call, proof.account, otp, proof);
  const asked = await site.database.transaction(async (connection) => {
    await requireUnchanged(connection, user, proof.hash);
    // Nothing is proved yet, so failures stay counted.
    await proof.attempt.undecided(connection);
    const factor = await secondFactorOf(connection, user);
    const enrolment = factor?.isConfirmed ? null : await enrol(site, connection, user);
    const life = LIMITS.secondFactorTime;
    const token = await makeToken(connection, site.clock, site.random, { kind: 'login', user, life });
    return { token, enrolment };
  });
  call.more['verification'] = {
    method: 'OTP App',
    setup: asked.enrolment === null,
    prompt: 'Enter the code of your authenticator app',
    ...asked.enrolment,
  };
  call.more['tmp_id'] = asked.token;
  return null;
}

/** The second half of a login. @throws ServiceError AuthenticationError */
export async function finishWithCode(call: HttpCall, tmpId: string, otp: string): Promise<string> {
  const { site } = call;
  const user = await findToken(site.database.reader, site.clock, 'login', tmpId);
  const account = user === null ? null : await findAccount(site, user);
  if (account === null) throw signInRefused('The login has expired: begin again');
  const attempt = await countAttempt(site, call.request, account.name);
  return signInWithCode(call, account, otp, { attempt, tmpId });
}

interface CodeProof {
  readonly attempt: SignInAttempt;
  readonly hash?: string;
  readonly tmpId?: string;
}

async function signInWithCode(
  call: HttpCall,
  account: Account,
  otp: string,
  proof: CodeProof,
): Promise<string> {
  const { site, request, reply } = call;
  const work = async (connection: Connection) => {
    const factor = await secondFactorOf(connection, account.name);
    if (!factor || !(await takeCode(site, connection, account.name, otp))) return null;
    if (proof.tmpId !== undefined && !(await takeToken(connection, 'login', proof.tmpId))) return null;
    const codes = factor.isConfirmed ? null : await confirmEnrolment(site, connection, account.name);
    const sid = await beginSession(site, connection, request, account, {
      ...proof,
      how: 'second factor',
    });
    return { sid, codes };
  };
  const done = await tellingRefusal(site, request, account.name, async () => {
    const begun = await site.database.transaction(work);
    if (begun !== null) return begun;
    await proof.attempt.failed();
    throw signInRefused('Invalid verification code');
  });
  const { message, ...more } = await answerSession(site, request, reply, account, done.sid);
  Object.assign(call.more, more, done.codes ? { recovery_codes: done.codes } : {});
  return message;
}
