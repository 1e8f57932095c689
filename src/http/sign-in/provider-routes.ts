import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { auditApart } from '../../access/audit-apart.ts';
import { GUEST } from '../../access/user.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { accountOf } from '../../standard/sign-in/account-of.ts';
import { requireProvider } from '../../standard/sign-in/provider.ts';
import { queryOf } from '../arguments.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { parseCookie } from '../caller/session-cookie.ts';
import { baseUrlOf } from '../oauth/metadata.ts';
import { addRoute } from '../route-table.ts';
import { SIGN_IN_CALLBACK, SIGN_IN_START } from './addresses.ts';
import { localPath } from './local-path.ts';
import { answerSession, beginSession, findAccount } from './sign-in.ts';

/** Seconds that a user may take to sign in at the provider. */
const WHILE = 600;

/** Sign-in by an OpenID Connect server: the redirect there, and the callback with its answer. */
export function registerSignInRoutes(app: FastifyInstance, site: OpenSite): void {
  addRoute(app, SIGN_IN_START, (request, reply) => start(site, request, reply));
  addRoute(app, SIGN_IN_CALLBACK, (request, reply) => comeBack(site, request, reply));
}

async function start(site: OpenSite, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const provider = await requireProvider(site, nameIn(request));
  const secret = site.random.bytes(32).toString('base64url');
  const { signInAddress } = await openid();
  const address = await signInAddress(site, provider, secret, callbackOf(site, request));
  const target = Buffer.from(localPath(queryOf(request)['redirect-to'])).toString('base64url');
  return reply
    .code(303)
    .header('set-cookie', cookie(request, `${secret}.${target}`, WHILE))
    .header('location', address)
    .send();
}

async function comeBack(site: OpenSite, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const provider = await requireProvider(site, nameIn(request));
  const how = `openid ${provider.name}`;
  const kept = parseCookie(request.headers.cookie ?? '', cookieName(request)) ?? '';
  const [secret = '', target = ''] = kept.split('.');
  // The answer is valid once, whatever its outcome.
  reply.header('set-cookie', cookie(request, '', 0));
  if (secret.length !== 43) {
    throw new ServiceError(
      'AuthenticationError',
      'This browser did not start this sign-in, or started it too long ago',
    );
  }
  const answer = new URL(callbackOf(site, request));
  const query = request.url.indexOf('?');
  answer.search = query === -1 ? '' : request.url.slice(query);
  const { account, sid } = await begin().catch((error: unknown) => {
    const origin = { ...provenanceOf(request), credential: how };
    void auditApart(site, origin, { event: 'login_failed', user: '' });
    throw error;
  });
  await answerSession(site, request, reply, account, sid);
  return reply
    .code(303)
    .header('location', localPath(Buffer.from(target, 'base64url').toString('utf8')))
    .send();

  async function begin() {
    const { provePerson } = await openid();
    const person = await provePerson(site, provider, secret, answer);
    const name = await unitOfWork(
      site,
      GUEST,
      (ctx) => accountOf(ctx, provider, person),
      provenanceOf(request),
    );
    const account = await findAccount(site, name);
    if (!account?.enabled) throw new ServiceError('AuthenticationError', 'Invalid login credentials');
    const sid = await site.database.transaction((db) => beginSession(site, db, request, account, { how }));
    return { account, sid };
  }
}

// Loaded with the first sign-in at a provider: the libraries take a tenth of the start time.
const openid = () => import('../../standard/sign-in/openid.ts');

function nameIn(request: FastifyRequest): string {
  return (request.params as { provider: string }).provider;
}

function callbackOf(site: OpenSite, request: FastifyRequest): string {
  return `${baseUrlOf(site, request)}/api/auth/${encodeURIComponent(nameIn(request))}/callback`;
}

// Over https, no page of a sibling host can set a cookie of such a name.
function cookieName(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-sign_in' : 'sign_in';
}

// Lax, because the answer arrives by a navigation from the provider's site.
function cookie(request: FastifyRequest, value: string, age: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${cookieName(request)}=${value}; Path=/; Max-Age=${age}; SameSite=Lax; HttpOnly${secure}`;
}
