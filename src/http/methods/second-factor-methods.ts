import { type AuditEvent, audit } from '../../access/audit.ts';
import { endSessionsOf } from '../../access/session.ts';
import { isSystemManager } from '../../access/user.ts';
import type { Connection } from '../../db/database.ts';
import { readDocument } from '../../document/read.ts';
import {
  confirmEnrolment,
  dropSecondFactor,
  enrol,
  makeRecoveryCodes,
  secondFactorOf,
  takeCode,
} from '../../document/second-factor.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, textArgument } from '../arguments.ts';
import { originOf } from '../origin.ts';
import { countAttempt, provePassword, refused, requireWholeUser, tellFailure } from '../prove-password.ts';
import { keptSession } from '../session-cookie.ts';
import { requireUnchanged } from '../sign-in.ts';
import { type BuiltIn, type BuiltIns, type Call, reading, writing } from './built-in.ts';

/** One's own second factor: codes of an authenticator app. */
export const secondFactorMethods: BuiltIns = {
  'chancery.auth.second_factor': reading(async (ctx, _args, call) => {
    const factor = await secondFactorOf(ctx.db, ctx.user.name);
    if (!factor?.isConfirmed) return { enabled: 0 };
    const since = formatTimestamp(factor.since * 1000, call.site.config.timeZone).slice(0, 19);
    return { enabled: 1, since };
  }),
  /** What an app is set up with. It counts once a code of it was confirmed. */
  'chancery.auth.enable_second_factor': proving((args, call) =>
    withPassword(args, call, (connection) => enrol(call.site, connection, call.request.user.name)),
  ),
  /** Sessions that were begun without it end, but for the one that asks. */
  'chancery.auth.confirm_second_factor': proving((args, call) => {
    const { site, request } = call;
    const user = request.user.name;
    return withCode(args, call, async (connection) => {
      const factor = await secondFactorOf(connection, user);
      if (factor?.isConfirmed) throw new ServiceError('ValidationError', 'A second factor is set up already');
      const codes = await confirmEnrolment(site, connection, user);
      await endSessionsOf(connection, user, keptSession(request));
      await tell(call, connection, 'second_factor_enabled', user);
      return { recovery_codes: codes };
    });
  }),
  'chancery.auth.new_recovery_codes': proving(async (args, call) => {
    await withPassword(args, call, async () => {});
    return withCode(args, call, async (connection) => ({
      recovery_codes: await makeRecoveryCodes(call.site, connection, call.request.user.name),
    }));
  }),
  'chancery.auth.disable_second_factor': proving(async (args, call) => {
    const user = call.request.user.name;
    await withPassword(args, call, async () => {});
    return withCode(args, call, async (connection) => {
      await dropSecondFactor(connection, user);
      await tell(call, connection, 'second_factor_disabled', user);
      return null;
    });
  }),
  /** For a user who lost both phone and recovery codes. */
  'chancery.auth.reset_second_factor': writing(['POST'], async (ctx, args, call) => {
    requireWholeUser(call.request);
    const named = textArgument(args, 'user');
    if (!isSystemManager(ctx.user) || named === ctx.user.name) {
      throw new ServiceError('PermissionError', 'Only a System Manager may do this, for others', {
        title: 'Not permitted',
      });
    }
    const user = (await readDocument(ctx, 'User', named)).name;
    await dropSecondFactor(ctx.db, user);
    await tell(call, ctx.db, 'second_factor_disabled', user);
    return null;
  }),
};

// Verifying a password takes tens of milliseconds, which no transaction should last.
function proving(run: (args: Arguments, call: Call) => Promise<unknown>): BuiltIn {
  return {
    http: ['POST'],
    allowGuest: false,
    context: 'read',
    run: (_ctx, args, call) => {
      requireWholeUser(call.request);
      return run(args, call);
    },
  };
}

/** A transaction of whoever called with the right `password`. @throws ServiceError AuthenticationError */
async function withPassword<T>(
  args: Arguments,
  { site, request }: Call,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const user = request.user.name;
  const { hash, attempt } = await provePassword(site, request, user, textArgument(args, 'password'));
  return site.database.transaction(async (connection) => {
    await requireUnchanged(connection, user, hash);
    await attempt.undecided(connection);
    return work(connection);
  });
}

/** A transaction of whoever called with a right `otp`, which is used up. @throws ServiceError AuthenticationError */
async function withCode<T>(
  args: Arguments,
  { site, request }: Call,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const user = request.user.name;
  const code = textArgument(args, 'otp');
  const attempt = await countAttempt(site, request, user);
  const done = await site.database.transaction(async (connection) => {
    if (!(await takeCode(site, connection, user, code))) return null;
    await attempt.undecided(connection);
    return { value: await work(connection) };
  });
  if (done === null) {
    await attempt.failed();
    tellFailure(site, request, user);
    throw refused('Invalid verification code');
  }
  return done.value;
}

async function tell({ site, request }: Call, db: Connection, event: AuditEvent, user: string): Promise<void> {
  const ctx = { site, db, user: request.user, origin: originOf(request) };
  await audit(ctx, { event, doctype: 'User', name: user });
}
