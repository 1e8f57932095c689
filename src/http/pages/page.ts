import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from '../../kernel/html.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; min-height: 100vh; place-items: center }
main { width: min(24rem, 90vw); padding: 2rem 0 }
h1 { font-size: 1.4rem; margin: 0 0 1rem }
label, input, button, a.button { display: block; width: 100%; box-sizing: border-box; font: inherit }
input { padding: .5rem; margin: .25rem 0 1rem }
button, a.button { padding: .6rem; margin: .5rem 0; text-align: center; border: 1px solid; border-radius: .3rem;
  background: none; color: inherit; text-decoration: none; cursor: pointer }
button.main { background: #1d4ed8; border-color: #1d4ed8; color: #fff }
p.problem { color: #b91c1c } code { overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { p.problem { color: #fca5a5 } }
`;

const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** Options of a page beside its text. */
export interface PageOptions {
  readonly title: string;
  readonly status?: number;
  /** The target of its forms, redirects included: a scheme or an origin, beside this server. */
  readonly formTarget?: string;
  /** An address of this server that the page opens by itself. */
  readonly goTo?: string;
}

/** Sends a page without scripts, frames and foreign resources. */
export function sendPage(reply: FastifyReply, options: PageOptions, body: Html): FastifyReply {
  const { title, status = 200, formTarget, goTo } = options;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  // With `no-referrer`, browsers omit the origin of a form, and the form would look like another site's.
  reply.header('content-security-policy', policy).header('referrer-policy', 'same-origin');
  const refresh = goTo === undefined ? null : html`<meta http-equiv="refresh" content="0; url=${goTo}">`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${refresh}
<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><h1>${title}</h1>
${body}</main></body></html>
`;
  return reply.code(status).header('content-type', 'text/html; charset=utf-8').send(page.text);
}
