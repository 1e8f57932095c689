import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

const SPAN = '<span ';

/**
 * The users that a comment mentions: `<span class="mention" data-id="ann@example.com">@Ann</span>`, as Frappe's
 * editor writes it. `html` is sanitised, so the values of attributes are in quotes and have no other `"` or `>`.
 */
export function mentionsIn(html: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (!html.includes('mention')) return found;
  for (let at = html.indexOf(SPAN); at >= 0; at = html.indexOf(SPAN, at + 1)) {
    const end = html.indexOf('>', at);
    if (end < 0) break;
    const attributes = html.slice(at + SPAN.length - 1, end);
    const id = attributeIn(attributes, 'data-id');
    if (id !== '' && attributeIn(attributes, 'class').split(' ').includes('mention')) found.add(id);
  }
  return found;
}

/** @throws ServiceError ValidationError for a comment with too many mentions */
export function checkMentions(html: string): void {
  if (mentionsIn(html).size <= LIMITS.mentions) return;
  throw new ServiceError('ValidationError', `A comment can mention at most ${LIMITS.mentions} users`);
}

function attributeIn(attributes: string, name: string): string {
  const opening = ` ${name}="`;
  const at = attributes.indexOf(opening);
  if (at < 0) return '';
  const start = at + opening.length;
  const end = attributes.indexOf('"', start);
  return end < 0 ? '' : plain(attributes.slice(start, end));
}

function plain(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
