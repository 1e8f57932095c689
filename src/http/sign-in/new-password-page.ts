import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { html } from '../../kernel/html.ts';
import { parseArguments } from '../../operation/arguments.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';
import { httpCall } from '../http-call.ts';
import { sendPage } from '../pages/page.ts';
import { addRoute } from '../route-table.ts';
import { UPDATE_PASSWORD } from './addresses.ts';
import { PASSWORD_ARGUMENTS, updatePassword } from './password-methods.ts';

/** `/update-password`: the page behind the link in a mail. It uses the method `update_password`. */
export function registerNewPasswordPage(app: FastifyInstance, site: OpenSite): void {
  addRoute(app, UPDATE_PASSWORD, {
    GET: (request, reply) => askPassword(queryOf(request)['key'] ?? '', reply),
    POST: (request, reply) => setPassword(site, request, reply),
  });
}

async function setPassword(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { key, new_password } = parseRequestArguments(request);
  const given = typeof key === 'string' ? key : '';
  try {
    // Without a key the method changes the caller's password; this page must not.
    const args = { key: given === '' ? '-' : given, new_password };
    await updatePassword(parseArguments(PASSWORD_ARGUMENTS, args), httpCall(site, request, reply));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    if (error.details.headers) reply.headers(error.details.headers);
    return askPassword(given, reply, error);
  }
  return sendPage(
    reply,
    { title: 'The password is set' },
    html`<p><a class="button main" href="/login">Sign in</a></p>
`,
  );
}

function askPassword(key: string, reply: FastifyReply, problem?: ServiceError): FastifyReply {
  return sendPage(
    reply,
    { title: 'Set a new password', status: problem?.status ?? 200 },
    html`${problem ? html`<p class="problem" role="alert">${problem.message}</p>` : null}
<form method="post" action="/update-password"><input type="hidden" name="key" value="${key}">
<label for="new_password">New password, of at least 10 characters</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" required autofocus>
<button class="main">Set password</button></form>
`,
  );
}
