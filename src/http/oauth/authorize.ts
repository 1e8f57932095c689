import type { FastifyReply, FastifyRequest } from 'fastify';
import { audit } from '../../access/audit.ts';
import { digestSecret } from '../../access/digest.ts';
import { issueCode } from '../../access/oauth-grant.ts';
import { OAUTH_SCOPES } from '../../access/oauth-scope.ts';
import { csrfTokenOf, isCsrfToken } from '../../access/session.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { html } from '../../kernel/html.ts';
import type { Fields } from '../../kernel/value.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { sidOf } from '../caller/session-cookie.ts';
import { sendPage } from '../pages/page.ts';
import {
  type AuthorizationRefusal,
  type AuthorizationRequest,
  answerAddress,
  parseAuthorizationRequest,
} from './authorization-request.ts';
import { baseUrlOf } from './metadata.ts';

/** `authorize`: a browser arrives from a client. The user signs in first, and then decides. */
export async function authorize(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = await parseAuthorizationRequest(site.database.reader, queryOf(request));
  if ('error' in asked) return refuse(site, asked, request, reply);
  const sid = sessionOf(request);
  if (sid === null) {
    const back = new URLSearchParams({ 'redirect-to': request.url });
    return reply.code(303).header('location', `/login?${back}`).send();
  }
  if (asked.client.skipsConsent) return grant(site, asked, request, reply);
  return askUser(asked, sid, request, reply);
}

/** `approve`: the user's answer from the page of `authorize`. Every value is checked again. */
export async function approve(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const args = parseRequestArguments(request);
  const sid = sessionOf(request);
  const token = args['csrf_token'];
  if (sid === null || typeof token !== 'string' || !isCsrfToken(token, digestSecret(csrfTokenOf(sid)))) {
    throw new ServiceError('CSRFTokenError', 'Invalid Request', {
      messages: ['The answer does not come from the consent page: start again from the program'],
    });
  }
  const asked = await parseAuthorizationRequest(site.database.reader, args);
  if ('error' in asked) return refuse(site, asked, request, reply);
  if (args['decision'] !== 'allow') {
    return refuse(
      site,
      { ...asked, error: 'access_denied', description: 'The user refused' },
      request,
      reply,
    );
  }
  return grant(site, asked, request, reply);
}

// Keys and tokens must not widen into grants, so a grant needs a session that began with a sign-in here.
function sessionOf(request: FastifyRequest): string | null {
  return request.user.isGuest || request.headers.authorization !== undefined ? null : sidOf(request);
}

async function grant(
  site: OpenSite,
  asked: AuthorizationRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { client, scopes, redirectUri, challenge } = asked;
  const { user } = request;
  const scope = scopes.join(' ');
  const code = await unitOfWork(
    site,
    user,
    async (ctx) => {
      const about = { doctype: 'OAuth Client', name: client.id, details: { scope } };
      await audit(ctx, { event: 'oauth_authorized', ...about });
      return issueCode(ctx.db, site, { client: client.id, user: user.name, scope, redirectUri, challenge });
    },
    provenanceOf(request),
  );
  return reply
    .code(303)
    .header('location', answerAddress(asked, baseUrlOf(site, request), { code }))
    .send();
}

function refuse(
  site: OpenSite,
  refusal: AuthorizationRefusal,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { error, description } = refusal;
  const address = answerAddress(refusal, baseUrlOf(site, request), { error, error_description: description });
  return reply.code(303).header('location', address).send();
}

function askUser(
  asked: AuthorizationRequest,
  sid: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { client, redirectUri, scopes, state, challenge } = asked;
  const url = new URL(redirectUri);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  const fields: Fields = {
    client_id: client.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    ...(state === null ? {} : { state }),
    ...(challenge === null ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }),
    csrf_token: csrfTokenOf(sid),
  };
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`,
  );
  const wishes = new Set(scopes.map((word) => OAUTH_SCOPES.get(word) ?? word));
  return sendPage(
    reply,
    { title: `Let ${client.appName} in?`, formTarget: isWeb ? url.origin : url.protocol },
    html`<p>You are <strong>${request.user.name}</strong>. <strong>${client.appName}</strong> asks to:</p>
<ul>${[...wishes].map((wish) => html`<li>${wish}</li>`)}</ul>
<p>The answer goes to <code>${isWeb ? url.host : url.protocol}</code>.</p>
<form method="post" action="/api/method/frappe.integrations.oauth2.approve">${hidden}
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Refuse</button></form>
`,
  );
}
