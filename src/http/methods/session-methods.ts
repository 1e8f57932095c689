import { verifyPassword } from '../../access/password.ts';
import { endSession, startSession } from '../../access/session.ts';
import type { Row } from '../../db/database.ts';
import { ident, sql } from '../../db/sql.ts';
import { readContext } from '../../document/context.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, queryOf } from '../arguments.ts';
import { readCookie } from '../identify.ts';
import type { BuiltIns, Call } from './built-in.ts';

/** Seconds a browser keeps the cookies; the server's own limits are in access/session.ts. */
const COOKIE_AGE = 30 * 24 * 60 * 60;

/** Signing in and out with a password and cookies. */
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
      const { cookie } = call.request.headers;
      const sid = cookie === undefined ? null : readCookie(cookie, 'sid');
      if (sid) {
        await call.site.database.transaction((connection) => endSession(connection, sid));
        call.site.authenticator.forget();
      }
      setCookies(call, SIGNED_OUT, 0);
      return null;
    },
  },
};

async function login(args: Arguments, call: Call): Promise<string> {
  const query = queryOf(call.request);
  const usr = args.usr ?? query.usr;
  const pwd = args.pwd ?? query.pwd;
  if (typeof usr !== 'string' || typeof pwd !== 'string' || usr === '' || pwd === '') {
    throw refused('Incomplete login details');
  }
  const { site } = call;
  const user = await findUser(call, usr);
  const hash = typeof user?.hash === 'string' ? user.hash : null;
  const fits = await verifyPassword(pwd, hash);
  if (!fits || user?.enabled !== 1) throw refused('Invalid login credentials');

  const name = String(user.name);
  const { sid } = await site.database.transaction((connection) =>
    startSession(connection, site.clock, name, site.random),
  );
  const isWebsiteUser = user.user_type === 'Website User';
  const fullName = String(user.full_name ?? name);
  const values = {
    sid,
    system_user: isWebsiteUser ? 'no' : 'yes',
    full_name: fullName,
    user_id: name,
    user_image: String(user.user_image ?? ''),
    user_lang: String(user.language ?? 'en'),
  };
  setCookies(call, values, COOKIE_AGE);
  call.more.home_page = isWebsiteUser ? '/' : '/app';
  call.more.full_name = fullName;
  return isWebsiteUser ? 'No App' : 'Logged In';
}

// One answer for a wrong password, an unknown user and a disabled one.
function refused(message: string): ServiceError {
  return new ServiceError('AuthenticationError', message);
}

function findUser(call: Call, usr: string): Promise<Row | undefined> {
  const { db } = readContext(call.site, call.request.user);
  if (usr.includes('\0')) return Promise.resolve(undefined);
  return db.get(sql`
    select ${ident('u')}.${ident('name')}, ${ident('u')}.${ident('enabled')}, ${ident('u')}.${ident('full_name')},
      ${ident('u')}.${ident('user_image')}, ${ident('u')}.${ident('user_type')},
      ${ident('u')}.${ident('language')}, ${ident('p')}.${ident('hash')}
    from ${ident('User')} as ${ident('u')}
    left join ${ident('_password')} as ${ident('p')} on ${ident('p')}.${ident('user')} = ${ident('u')}.${ident('name')}
    where ${ident('u')}.${ident('name')} in (${usr}, ${usr.toLowerCase()})
      or ${ident('u')}.${ident('username')} = ${usr}
    order by ${ident('u')}.${ident('name')} = ${usr} desc
    limit 1`);
}

interface CookieValues {
  readonly sid: string;
  readonly system_user: string;
  readonly full_name: string;
  readonly user_id: string;
  readonly user_image: string;
  readonly user_lang: string;
}

const SIGNED_OUT: CookieValues = {
  sid: '',
  system_user: 'no',
  full_name: 'Guest',
  user_id: 'Guest',
  user_image: '',
  user_lang: '',
};

// Clients pick cookies by position, so this order is part of the wire; only `sid` is hidden from scripts.
function setCookies(call: Call, values: CookieValues, maxAge: number): void {
  const secure = call.request.protocol === 'https' ? '; Secure' : '';
  const order: readonly (keyof CookieValues)[] = [
    'sid',
    'system_user',
    'full_name',
    'user_id',
    'user_image',
    'user_lang',
  ];
  const cookies = order.map((name) => {
    const hidden = name === 'sid' ? '; HttpOnly' : '';
    return `${name}=${encodeURIComponent(values[name])}; Path=/; Max-Age=${maxAge}; SameSite=Lax${hidden}${secure}`;
  });
  call.reply.header('set-cookie', cookies);
}
