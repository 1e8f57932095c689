import type { FastifyRequest } from 'fastify';
import { html } from '../../kernel/html.ts';
import type { ShownError } from '../wire/error-reply.ts';
import { opensPage } from './opens-page.ts';
import { type WrittenPage, writePage } from './page.ts';

/**
 * The page of a failure, for a browser that opens an address outside the API, such as a link to a file. Null for
 * everything else, which gets the error as data.
 */
export function errorPage(request: FastifyRequest, { status, message }: ShownError): WrittenPage | null {
  const path = request.url.split('?', 1)[0] ?? '';
  if (!opensPage(request) || /^\/api(?:\/|$)/.test(path)) return null;
  // Before the request is identified, nobody is known to be signed in.
  const maySignIn = (status === 401 || status === 403) && (request.user?.isGuest ?? true);
  const signIn = `/login?${new URLSearchParams({ 'redirect-to': request.url })}`;
  return writePage(
    { title: titleOf(status) },
    html`<p>${message ?? 'The server failed to answer. Try again in a moment.'}</p>
${maySignIn ? html`<p><a class="button main" href="${signIn}">Sign in</a></p>` : null}
<p><a class="button" href="/">Go to the start page</a></p>
<p class="note">Error ${String(status)} · request <code>${request.id}</code></p>
`,
  );
}

function titleOf(status: number): string {
  if (status === 401) return 'Sign in to continue';
  if (status === 403) return 'You have no access to this page';
  if (status === 404 || status === 410) return 'Page not found';
  if (status === 429) return 'Too many requests';
  if (status === 503) return 'The server is busy';
  return status >= 500 ? 'Something went wrong' : 'This address is not valid';
}
