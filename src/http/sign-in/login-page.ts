import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { html } from '../../kernel/html.ts';
import { isRecord } from '../../kernel/value.ts';
import { parseArguments } from '../../operation/arguments.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { listProviders } from '../../standard/sign-in/provider.ts';
import type { LoadUi } from '../admin/built-ui.ts';
import { redirect } from '../admin/routes.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';
import { requireOwnPage } from '../caller/identify.ts';
import { httpCall } from '../http-call.ts';
import { opensPage } from '../pages/opens-page.ts';
import { sendPage } from '../pages/page.ts';
import { addRoute } from '../route-table.ts';
import { LOGIN } from './addresses.ts';
import { localPath } from './local-path.ts';
import { LOGIN_ARGUMENTS, login } from './session-methods.ts';

/**
 * `/login`: the sign-in page without scripts, for programs that send a browser here. It uses the method
 * `login`. Other visitors get the admin UI, which has its own sign-in.
 */
export function registerLoginPage(app: FastifyInstance, site: OpenSite, loadUi: LoadUi): void {
  addRoute(app, LOGIN, {
    async GET(request, reply) {
      const isSent = queryOf(request)['redirect-to'] !== undefined;
      if (!isSent && site.config.adminUi && opensPage(request) && (await loadUi()))
        return redirect(reply, '/app');
      const target = localPath(queryOf(request)['redirect-to']);
      const isSignedIn = !request.user.isGuest && request.headers.authorization === undefined;
      return isSignedIn ? offer(target, reply) : askPassword(site, target, reply);
    },
    POST: (request, reply) => signIn(site, request, reply),
  });
}

// Scripts of other sites sign in with the method; this form belongs to this page only.
const NOBODY: ReadonlySet<string> = new Set();

async function signIn(site: OpenSite, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  requireOwnPage(request, NOBODY);
  const args = parseRequestArguments(request);
  const target = localPath(args['redirect-to']);
  const call = httpCall(site, request, reply);
  try {
    const { usr, pwd, otp, tmp_id } = args;
    const given = otp === undefined ? { usr, pwd } : { otp, tmp_id };
    await login(parseArguments(LOGIN_ARGUMENTS, given), call);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    if (error.details.headers) reply.headers(error.details.headers);
    const { tmp_id: tmpId } = args;
    return typeof tmpId === 'string'
      ? askCode({ target, tmpId, secret: null }, reply, error)
      : askPassword(site, target, reply, error);
  }
  const { tmp_id: tmpId, verification, recovery_codes: codes } = call.more;
  if (typeof tmpId !== 'string') return goOn(target, reply, Array.isArray(codes) ? codes : []);
  const secret = isRecord(verification) ? verification['secret'] : null;
  return askCode({ target, tmpId, secret: typeof secret === 'string' ? secret : null }, reply);
}

async function askPassword(
  site: OpenSite,
  target: string,
  reply: FastifyReply,
  problem?: ServiceError,
): Promise<FastifyReply> {
  const back = new URLSearchParams({ 'redirect-to': target });
  const others = (await listProviders(site.database.reader)).map(
    ({ name, label }) => html`<a class="button" href="/api/auth/${name}/start?${String(back)}">${label}</a>`,
  );
  return sendPage(
    reply,
    { title: 'Sign in', status: problem?.status ?? 200 },
    html`${problem ? html`<p class="problem" role="alert">${problem.message}</p>` : null}
<form method="post" action="/login"><input type="hidden" name="redirect-to" value="${target}">
<label for="usr">Email or username</label><input id="usr" name="usr" autocomplete="username" required autofocus>
<label for="pwd">Password</label>
<input id="pwd" name="pwd" type="password" autocomplete="current-password" required>
<button class="main">Sign in</button></form>${others}
`,
  );
}

interface CodeQuestion {
  readonly target: string;
  readonly tmpId: string;
  /** The secret for an authenticator app, when the user has none yet. */
  readonly secret: string | null;
}

function askCode(
  { target, tmpId, secret }: CodeQuestion,
  reply: FastifyReply,
  problem?: ServiceError,
): FastifyReply {
  return sendPage(
    reply,
    { title: 'Second factor', status: problem?.status ?? 200 },
    html`${problem ? html`<p class="problem" role="alert">${problem.message}</p>` : null}
${secret === null ? null : html`<p>Add this key to your authenticator app: <code>${secret}</code></p>`}
<form method="post" action="/login"><input type="hidden" name="redirect-to" value="${target}">
<input type="hidden" name="tmp_id" value="${tmpId}">
<label for="otp">Code of your authenticator, or a recovery code</label>
<input id="otp" name="otp" autocomplete="one-time-code" required autofocus>
<button class="main">Sign in</button></form>
<p><a href="/login?${String(new URLSearchParams({ 'redirect-to': target }))}">Start again</a></p>
`,
  );
}

// Continues by a page, not by a redirect: form policies apply to redirects too, and this path may lead to
// another site.
function goOn(target: string, reply: FastifyReply, codes: readonly unknown[] = []): FastifyReply {
  const shown = codes.map((code) => html`<li><code>${String(code)}</code></li>`);
  return sendPage(
    reply,
    { title: 'Signed in', ...(codes.length === 0 ? { goTo: target } : {}) },
    html`${codes.length === 0 ? null : html`<p>Recovery codes, shown this once:</p><ul>${shown}</ul>`}
<p><a class="button main" href="${target}">Continue</a></p>
`,
  );
}

// Any site may have sent a signed-in user here, and a request for the path from here would look like one of
// our own pages. So the user confirms it.
function offer(target: string, reply: FastifyReply): FastifyReply {
  return sendPage(
    reply,
    { title: 'Signed in' },
    html`<p><a class="button main" href="${target}">Continue</a></p>
`,
  );
}
