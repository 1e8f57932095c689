import { audit } from '../../access/audit.ts';
import { endSession, endSessionById, endSessionsOf, listSessions } from '../../access/session.ts';
import { isSystemManager } from '../../access/user.ts';
import type { Context } from '../../document/context.ts';
import { readDocument } from '../../document/read.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, optionalText, queryOf, textArgument } from '../arguments.ts';
import { requireOwnPage } from '../identify.ts';
import { originOf } from '../origin.ts';
import { provePassword, refused, requireWholeUser, tellingRefusal } from '../prove-password.ts';
import { clearSessionCookies, keptSession, sidOf } from '../session-cookie.ts';
import { answerSession, beginSession, sessionPolicy } from '../sign-in.ts';
import { type BuiltIns, type Call, reading, writing } from './built-in.ts';
import { askForCode, finishWithCode, isCodeNeeded } from './login-code.ts';

/** Signing in and out with a password and cookies, and what is signed in. */
export const sessionMethods: BuiltIns = {
  login: {
    http: ['POST'],
    allowGuest: true,
    // Checking a password takes tens of milliseconds, which no transaction should last.
    context: 'read',
    run: (_ctx, args, call) => login(args, call),
  },
  logout: {
    // The Python client signs out with GET.
    http: ['GET', 'POST'],
    allowGuest: true,
    context: 'read',
    run: async (_ctx, _args, call) => {
      requireOwnPage(call.request, call.site.settings.allowedOrigins);
      const sid = sidOf(call.request);
      if (sid !== null) {
        const { site, request } = call;
        await site.database.transaction(async (connection) => {
          await endSession(connection, sid);
          const ctx = { site, db: connection, user: request.user, origin: originOf(request) };
          if (!request.user.isGuest) await audit(ctx, { event: 'logout' });
        });
        call.site.authenticator.forget();
      }
      clearSessionCookies(call.request, call.reply);
      return null;
    },
  },
  'chancery.auth.sessions': reading(async (ctx, args, call) => {
    const user = await userToManage(ctx, args);
    const { site } = call;
    const sessions = await listSessions(
      ctx.db,
      site.clock,
      user,
      keptSession(call.request),
      sessionPolicy(site),
    );
    const shown = (millis: number) => formatTimestamp(millis * 1000, site.config.timeZone).slice(0, 19);
    return sessions.map((session) => ({
      id: session.id,
      created: shown(session.created),
      last_used: shown(session.lastUsed),
      address: session.address,
      user_agent: session.userAgent,
      current: session.isCurrent ? 1 : 0,
    }));
  }),
  'chancery.auth.end_session': writing(['POST'], async (ctx, args, call) => {
    requireWholeUser(call.request);
    const user = await userToManage(ctx, args);
    if (!(await endSessionById(ctx.db, user, textArgument(args, 'id')))) {
      throw new ServiceError('DoesNotExistError', 'There is no such session');
    }
    await audit(ctx, { event: 'session_revoked', doctype: 'User', name: user, details: { ended: 1 } });
    ctx.afterCommit(() => call.site.authenticator.forget());
    return null;
  }),
  'chancery.auth.end_other_sessions': writing(['POST'], async (ctx, args, call) => {
    requireWholeUser(call.request);
    const user = await userToManage(ctx, args);
    const ended = await endSessionsOf(ctx.db, user, keptSession(call.request));
    await audit(ctx, { event: 'session_revoked', doctype: 'User', name: user, details: { ended } });
    ctx.afterCommit(() => call.site.authenticator.forget());
    return { ended };
  }),
};

/** The caller, or the `user` that a System Manager who may see that user names. */
export async function userToManage(ctx: Context, args: Arguments): Promise<string> {
  const user = optionalText(args, 'user') ?? ctx.user.name;
  if (user === ctx.user.name) return user;
  if (!isSystemManager(ctx.user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager may do this for others', {
      title: 'Not permitted',
    });
  }
  return (await readDocument(ctx, 'User', user)).name;
}

async function login(args: Arguments, call: Call): Promise<string | null> {
  requireOwnPage(call.request, call.site.settings.allowedOrigins);
  const query = queryOf(call.request);
  const given = (name: string) => {
    const value = args[name] ?? query[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const [usr, pwd, otp, tmpId] = ['usr', 'pwd', 'otp', 'tmp_id'].map(given);
  if (otp && tmpId) return finishWithCode(call, tmpId, otp);
  if (!usr || !pwd) throw refused('Incomplete login details');
  const proof = await provePassword(call.site, call.request, usr, pwd);
  if (await isCodeNeeded(call, proof.account)) return askForCode(call, proof, otp ?? '');
  const { site, request, reply } = call;
  const sid = await tellingRefusal(site, request, proof.account.name, () =>
    site.database.transaction((connection) => beginSession(site, connection, request, proof.account, proof)),
  );
  const { message, ...more } = answerSession(site, request, reply, proof.account, sid);
  Object.assign(call.more, more);
  return message;
}
