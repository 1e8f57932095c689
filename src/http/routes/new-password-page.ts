import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/open-site.ts';
import { queryOf, readArguments } from '../arguments.ts';
import { passwordMethods } from '../methods/password-methods.ts';
import { html, sendPage } from '../pages/page.ts';
import { addRoute } from '../route-table.ts';

const UPDATE = 'frappe.core.doctype.user.user.update_password';

/** `/update-password`: where the link of a mail leads. The method `update_password` does it. */
export function registerNewPasswordPage(app: FastifyInstance, site: OpenSite): void {
  addRoute(app, '/update-password', 'guest', 'read', {
    GET: (request, reply) => askPassword(queryOf(request)['key'] ?? '', reply),
    POST: (request, reply) => setPassword(site, request, reply),
  });
}

async function setPassword(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { key, new_password } = readArguments(request);
  const given = typeof key === 'string' ? key : '';
  try {
    // Without a key the method is about whoever calls, and this page is not.
    const args = { key: given === '' ? '-' : given, new_password };
    const call = { site, request, reply, more: {} };
    await passwordMethods[UPDATE]?.run(readContext(site, request.user), args, call);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    if (error.details.headers) reply.headers(error.details.headers);
    return askPassword(given, reply, error);
  }
  return sendPage(
    reply,
    { title: 'The password is set' },
    html`<p><a class="button" href="/login">Sign in</a></p>
`,
  );
}

function askPassword(key: string, reply: FastifyReply, problem?: ServiceError): FastifyReply {
  return sendPage(
    reply,
    { title: 'A new password', status: problem?.status ?? 200 },
    html`${problem ? html`<p class="problem" role="alert">${problem.message}</p>` : null}
<form method="post" action="/update-password"><input type="hidden" name="key" value="${key}">
<label for="new_password">New password, of at least 10 characters</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" required autofocus>
<button class="main">Set it</button></form>
`,
  );
}
