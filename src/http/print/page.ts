import { hash } from 'node:crypto';
import { Html, html } from '../../kernel/html.ts';
import type { PrintedPage } from '../../print/print-document.ts';
import { PRINT_STYLE } from '../../print/style.ts';

const STYLE_HASH = hash('sha256', PRINT_STYLE, 'base64');

/**
 * The policy of a printed page: no scripts, no forms, images of this server only. `allow-same-origin` lets the
 * browser send the cookie for private images, `allow-modals` lets the page that frames it open the print dialog.
 */
export const PRINT_POLICY = [
  'sandbox allow-same-origin allow-modals',
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ku|ps|ur|yi)\b/;

/** The whole page. */
export function printPage({ title, locale, body }: PrintedPage): string {
  const direction = RIGHT_TO_LEFT.test(locale) ? 'rtl' : 'ltr';
  return html`<!doctype html>
<html lang="${locale}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${new Html(PRINT_STYLE)}</style></head>
<body>${body}</body></html>
`.text;
}
