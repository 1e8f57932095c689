import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

const SPAN = /<span\b([^>]*)>/g;
const ID = /\bdata-id="([^"]*)"/;
const CLASS = /\bclass="(?:[^"]*\s)?mention(?:\s[^"]*)?"/;

/**
 * The users that a comment mentions: `<span class="mention" data-id="ann@example.com">@Ann</span>`, as Frappe's
 * editor writes it. `html` is sanitised.
 */
export function mentionsIn(html: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (!html.includes('mention')) return found;
  for (const [, attributes = ''] of html.matchAll(SPAN)) {
    const id = CLASS.test(attributes) ? ID.exec(attributes)?.[1] : undefined;
    if (id) found.add(plain(id));
  }
  return found;
}

/** @throws ServiceError ValidationError for a comment with too many mentions */
export function checkMentions(html: string): void {
  if (mentionsIn(html).size <= LIMITS.mentions) return;
  throw new ServiceError('ValidationError', `A comment can mention at most ${LIMITS.mentions} users`);
}

function plain(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
