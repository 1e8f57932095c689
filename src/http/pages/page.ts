import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from '../../kernel/html.ts';

// The colours are those of the admin UI.
const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --bg: #f6f7f9; --card: #fff; --line: #dde1e6;
  --input: #8c949d; --text: #1b1f24; --muted: #56606b; --accent: #1c5fa8; --hover: #eef1f4; --danger: #b3261e;
  --danger-soft: #fbeae9 }
@media (prefers-color-scheme: dark) { :root { --bg: #131518; --card: #1a1d21; --line: #2f353c; --input: #69727d;
  --text: #e5e8eb; --muted: #a4adb7; --accent: #2568b2; --hover: #262b31; --danger: #f5a19b; --danger-soft: #3a1d1c } }
body { margin: 0; padding: min(12vh, 7rem) 1rem 2rem; box-sizing: border-box; min-height: 100vh; background: var(--bg);
  color: var(--text); display: flex; flex-direction: column; align-items: center; gap: 1rem }
header { display: flex; align-items: center; gap: .75rem; font-size: 1.25rem; font-weight: 600 }
main { width: min(24rem, 100%); box-sizing: border-box; padding: 1.5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px }
h1 { font-size: 1.1rem; line-height: 1.3; margin: 0 0 1rem }
p { margin: 0 0 1rem; overflow-wrap: anywhere } main > :last-child { margin-bottom: 0 }
label, input, button, a.button { display: block; width: 100%; box-sizing: border-box; font: inherit }
label { font-size: .9em } a { color: inherit }
input { padding: .4rem .6rem; margin: .25rem 0 1rem; background: none; color: inherit; border: 1px solid var(--input);
  border-radius: 6px }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
button, a.button { padding: .4rem .8rem; margin: .5rem 0; text-align: center; border: 1px solid var(--input);
  border-radius: 6px; background: none; color: inherit; text-decoration: none; font-weight: 500; cursor: pointer }
button:hover, a.button:hover { background: var(--hover) }
.main.main { background: var(--accent); border-color: var(--accent); color: #fff }
p.problem { padding: .6rem .8rem; border-radius: 6px; background: var(--danger-soft); color: var(--danger) }
p.note { color: var(--muted); font-size: .85em } code { overflow-wrap: anywhere }
`;

const BRAND = new Html(
  '<svg aria-hidden="true" width="36" height="36" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1c5fa8"/><path d="M22.5 11.2a8 8 0 1 0 0 9.6" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/><circle cx="22.3" cy="16" r="2.1" fill="#fff"/></svg>',
);

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

/** A page as it is sent. */
export interface WrittenPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a page without scripts, frames and foreign resources. */
export function sendPage(reply: FastifyReply, options: PageOptions, body: Html): FastifyReply {
  const { headers, text } = writePage(options, body);
  return reply
    .code(options.status ?? 200)
    .headers(headers)
    .send(text);
}

/** Writes a page without scripts, frames and foreign resources. */
export function writePage({ title, formTarget, goTo }: PageOptions, body: Html): WrittenPage {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const refresh = goTo === undefined ? null : html`<meta http-equiv="refresh" content="0; url=${goTo}">`;
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${refresh}
<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><header>${BRAND}Chancery</header>
<main><h1>${title}</h1>
${body}</main></body></html>
`;
  return {
    text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      // With `no-referrer`, browsers omit the origin of a form, and the form would look like another site's.
      'referrer-policy': 'same-origin',
    },
  };
}
