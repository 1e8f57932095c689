import { type AuditEvent, audit } from '../../access/audit.ts';
import {
  confirmEnrolment,
  dropSecondFactor,
  enrol,
  makeRecoveryCodes,
  secondFactorOf,
  takeCode,
} from '../../access/second-factor.ts';
import { endSessionsOf } from '../../access/session.ts';
import { signInRefused } from '../../access/sign-in-rules.ts';
import type { Connection } from '../../db/database.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { TEXT } from '../../operation/arguments.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { NOTHING, object } from '../../operation/result.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { keptSession } from '../caller/session-cookie.ts';
import type { HttpCall } from '../http-call.ts';
import { countAttempt, provePassword, tellFailure } from './prove-password.ts';
import { requireUnchanged } from './sign-in.ts';

const RECOVERY_CODES = object({ recovery_codes: { type: 'array', items: { type: 'string' } } });

// Verifying a password takes tens of milliseconds; no transaction should last that long.
const PROVING = {
  confidential: true,
  effect: 'write',
  access: 'user',
  wholeUser: true,
  transaction: 'own',
  http: ['POST'],
} as const;

/** The caller's own second factor: codes of an authenticator app. */
export const secondFactorOperations: readonly Operation<HttpCall>[] = [
  defineOperation({
    name: 'chancery.auth.second_factor',
    summary: 'Check whether the caller has a second factor, and since when',
    effect: 'read',
    access: 'user',
    result: {
      type: 'object',
      properties: { enabled: { enum: [0, 1] }, since: { type: 'string' } },
      required: ['enabled'],
    },
    run: async (ctx, _args, call) => {
      const factor = await secondFactorOf(ctx.db, ctx.user.name);
      if (!factor?.isConfirmed) return { enabled: 0 };
      const since = formatTimestamp(factor.since * 1000, call.site.config.timeZone).slice(0, 19);
      return { enabled: 1, since };
    },
  }),

  // The secret for an app. It takes effect once a code of it is confirmed.
  defineOperation({
    ...PROVING,
    name: 'chancery.auth.enable_second_factor',
    summary: 'Begin to set up an authenticator app',
    args: { password: TEXT },
    run: (_ctx, { password }, call: HttpCall) =>
      withPassword(password, call, (connection) => enrol(call.site, connection, call.request.user.name)),
  }),

  // Ends the sessions that began without it, except the caller's.
  defineOperation({
    ...PROVING,
    name: 'chancery.auth.confirm_second_factor',
    summary: 'Finish with a code of the app; returns recovery codes, once',
    args: { otp: TEXT },
    result: RECOVERY_CODES,
    run: (_ctx, { otp }, call: HttpCall) => {
      const { site, request } = call;
      const user = request.user.name;
      return withCode(otp, call, async (connection) => {
        const factor = await secondFactorOf(connection, user);
        if (factor?.isConfirmed)
          throw new ServiceError('ValidationError', 'A second factor is already set up');
        const codes = await confirmEnrolment(site, connection, user);
        await endSessionsOf(connection, user, keptSession(request));
        await tell(call, connection, 'second_factor_enabled', user);
        return { recovery_codes: codes };
      });
    },
  }),

  defineOperation({
    ...PROVING,
    name: 'chancery.auth.new_recovery_codes',
    summary: 'Create new recovery codes, which replace the former ones',
    args: { password: TEXT, otp: TEXT },
    result: RECOVERY_CODES,
    run: async (_ctx, { password, otp }, call: HttpCall) => {
      await withPassword(password, call, async () => {});
      return withCode(otp, call, async (connection) => ({
        recovery_codes: await makeRecoveryCodes(call.site, connection, call.request.user.name),
      }));
    },
  }),

  defineOperation({
    ...PROVING,
    name: 'chancery.auth.disable_second_factor',
    summary: 'Remove the second factor',
    args: { password: TEXT, otp: TEXT },
    result: NOTHING,
    run: async (_ctx, { password, otp }, call: HttpCall) => {
      const user = call.request.user.name;
      await withPassword(password, call, async () => {});
      return withCode(otp, call, async (connection) => {
        await dropSecondFactor(connection, user);
        await tell(call, connection, 'second_factor_disabled', user);
        return null;
      });
    },
  }),

  defineOperation({
    name: 'chancery.auth.reset_second_factor',
    summary: 'Remove the second factor of a user who lost it. For System Managers',
    effect: 'write',
    roles: ['System Manager'],
    wholeUser: true,
    http: ['POST'],
    args: { user: TEXT },
    result: NOTHING,
    run: async (ctx, { user: named }, call: HttpCall) => {
      if (named === ctx.user.name) {
        throw new ServiceError('PermissionError', 'Only a System Manager may do this, and only for others', {
          title: 'Not permitted',
        });
      }
      const user = (await readDocument(ctx, 'User', named)).name;
      await dropSecondFactor(ctx.db, user);
      await tell(call, ctx.db, 'second_factor_disabled', user);
      return null;
    },
  }),
];

/** Runs a transaction for a caller with the right `password`. @throws ServiceError AuthenticationError */
async function withPassword<T>(
  password: string,
  { site, request }: HttpCall,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const user = request.user.name;
  const { hash, attempt } = await provePassword(site, request, user, password);
  return site.database.transaction(async (connection) => {
    await requireUnchanged(connection, user, hash);
    await attempt.undecided(connection);
    return work(connection);
  });
}

/**
 * Runs a transaction for a caller with a right `otp`, which is used up. @throws ServiceError
 * AuthenticationError
 */
async function withCode<T>(
  code: string,
  { site, request }: HttpCall,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const user = request.user.name;
  const attempt = await countAttempt(site, request, user);
  const done = await site.database.transaction(async (connection) => {
    if (!(await takeCode(site, connection, user, code))) return null;
    await attempt.undecided(connection);
    return { value: await work(connection) };
  });
  if (done === null) {
    await attempt.failed();
    tellFailure(site, request, user);
    throw signInRefused('Invalid verification code');
  }
  return done.value;
}

async function tell(
  { site, request }: HttpCall,
  db: Connection,
  event: AuditEvent,
  user: string,
): Promise<void> {
  const ctx = { site, db, user: request.user, origin: provenanceOf(request) };
  await audit(ctx, { event, doctype: 'User', name: user });
}
