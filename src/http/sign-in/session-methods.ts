import { audit } from '../../access/audit.ts';
import { endSession, endSessionById, endSessionsOf, listSessions } from '../../access/session.ts';
import { signInRefused } from '../../access/sign-in-rules.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import {
  type ArgumentValues,
  type DeclaredArgument,
  OPTIONAL_TEXT,
  TEXT,
} from '../../operation/arguments.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { NOTHING, object } from '../../operation/result.ts';
import { userToManage } from '../../operation/users.ts';
import { queryOf } from '../arguments.ts';
import { requireOwnPage } from '../caller/identify.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { clearSessionCookies, keptSession, sidOf } from '../caller/session-cookie.ts';
import type { HttpCall } from '../http-call.ts';
import { askForCode, finishWithCode, isCodeNeeded } from './login-code.ts';
import { provePassword, tellingRefusal } from './prove-password.ts';
import { answerSession, beginSession, sessionPolicy } from './sign-in.ts';

/** Text or a number; every other value counts as empty, so that no refusal reveals the cause. */
const LOOSE_TEXT: DeclaredArgument<string | undefined> = {
  ...OPTIONAL_TEXT,
  parse(given, name) {
    const value = given[name] ?? undefined;
    if (value === undefined) return undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  },
};

/** The arguments of a sign-in. */
export const LOGIN_ARGUMENTS = { usr: LOOSE_TEXT, pwd: LOOSE_TEXT, otp: LOOSE_TEXT, tmp_id: LOOSE_TEXT };

const TEXTS = { type: 'string' };

/** Signing in and out with a password and cookies, and the signed-in user. */
export const sessionOperations: readonly Operation<HttpCall>[] = [
  defineOperation({
    name: 'login',
    summary: 'Sign in and get cookies; with a second factor first `usr` and `pwd`, then `tmp_id` and `otp`',
    effect: 'write',
    confidential: true,
    access: 'guest',
    // Verifying a password takes tens of milliseconds; no transaction should last that long.
    transaction: 'own',
    http: ['POST'],
    args: LOGIN_ARGUMENTS,
    result: { type: ['string', 'null'] },
    run: (_ctx, args, call: HttpCall) => login({ ...queryOf(call.request), ...args }, call),
  }),

  defineOperation({
    name: 'logout',
    summary: 'Sign out',
    effect: 'write',
    access: 'guest',
    transaction: 'own',
    // The Python client signs out with GET.
    http: ['GET', 'POST'],
    result: NOTHING,
    run: (_ctx, _args, call: HttpCall) => logout(call),
  }),

  defineOperation({
    name: 'chancery.auth.sessions',
    summary: 'List the sessions of the caller, or of a user',
    effect: 'read',
    access: 'user',
    args: { user: OPTIONAL_TEXT },
    result: {
      type: 'array',
      items: object({
        id: TEXTS,
        created: TEXTS,
        last_used: TEXTS,
        address: TEXTS,
        user_agent: TEXTS,
        current: { enum: [0, 1] },
      }),
    },
    run: async (ctx, args, { site, request }: HttpCall) => {
      const user = await userToManage(ctx, args.user);
      const kept = keptSession(request);
      const sessions = await listSessions(ctx.db, site.clock, user, kept, sessionPolicy(site));
      const shown = (millis: number) => formatTimestamp(millis * 1000, site.config.timeZone).slice(0, 19);
      return sessions.map((session) => ({
        id: session.id,
        created: shown(session.created),
        last_used: shown(session.lastUsed),
        address: session.address,
        user_agent: session.userAgent,
        current: session.isCurrent ? 1 : 0,
      }));
    },
  }),

  defineOperation({
    name: 'chancery.auth.end_session',
    summary: 'End a session',
    effect: 'write',
    access: 'user',
    wholeUser: true,
    http: ['POST'],
    args: { id: TEXT, user: OPTIONAL_TEXT },
    result: NOTHING,
    run: async (ctx, args) => {
      const user = await userToManage(ctx, args.user);
      if (!(await endSessionById(ctx.db, user, args.id))) {
        throw new ServiceError('DoesNotExistError', 'There is no such session');
      }
      await audit(ctx, { event: 'session_revoked', doctype: 'User', name: user, details: { ended: 1 } });
      ctx.dropCaches('users');
      return null;
    },
  }),

  defineOperation({
    name: 'chancery.auth.end_other_sessions',
    summary: 'End all other sessions of the caller',
    effect: 'write',
    access: 'user',
    wholeUser: true,
    http: ['POST'],
    args: { user: OPTIONAL_TEXT },
    result: object({ ended: { type: 'integer' } }),
    run: async (ctx, args, call: HttpCall) => {
      const user = await userToManage(ctx, args.user);
      const ended = await endSessionsOf(ctx.db, user, keptSession(call.request));
      await audit(ctx, { event: 'session_revoked', doctype: 'User', name: user, details: { ended } });
      ctx.dropCaches('users');
      return { ended };
    },
  }),
];

/** Signs in; resolves to the result beside `call.more`. @throws ServiceError AuthenticationError */
export async function login(
  { usr, pwd, otp, tmp_id: tmpId }: Partial<ArgumentValues<typeof LOGIN_ARGUMENTS>>,
  call: HttpCall,
): Promise<string | null> {
  const { site, request, reply } = call;
  requireOwnPage(request, site.settings.allowedOrigins);
  if (otp && tmpId) return finishWithCode(call, tmpId, otp);
  if (!usr || !pwd) throw signInRefused('Incomplete login details');
  const proof = await provePassword(site, request, usr, pwd);
  if (await isCodeNeeded(call, proof.account)) return askForCode(call, proof, otp ?? '');
  const sid = await tellingRefusal(site, request, proof.account.name, () =>
    site.database.transaction((connection) => beginSession(site, connection, request, proof.account, proof)),
  );
  const { message, ...more } = await answerSession(site, request, reply, proof.account, sid);
  Object.assign(call.more, more);
  return message;
}

async function logout({ site, request, reply }: HttpCall): Promise<null> {
  requireOwnPage(request, site.settings.allowedOrigins);
  const sid = sidOf(request);
  if (sid !== null) {
    await site.database.transaction(async (connection) => {
      await endSession(connection, sid);
      const ctx = { site, db: connection, user: request.user, origin: provenanceOf(request) };
      if (!request.user.isGuest) await audit(ctx, { event: 'logout' });
    });
    await site.dropCaches('users');
  }
  clearSessionCookies(request, reply);
  return null;
}
