/** A user chosen for a mention. */
export interface Mentioned {
  readonly id: string;
  /** What the text has after `@`. */
  readonly value: string;
}

/** A mention that is being typed. */
export interface Typed {
  /** The place of the `@`. */
  readonly at: number;
  readonly text: string;
}

/** A name of two words may have one space. */
const TYPED = /(?:^|[\s(])@([^\s@]{0,40}(?: [^\s@]{1,40})?)$/u;

/** The mention before the caret, if there is one. */
export function typedMention(text: string, caret: number): Typed | null {
  const found = TYPED.exec(text.slice(0, caret));
  return found ? { at: caret - (found[1] ?? '').length - 1, text: found[1] ?? '' } : null;
}

/** True if a user still fits what is typed. */
export function fits({ id, value }: Mentioned, typed: string): boolean {
  const part = typed.toLowerCase();
  return value.toLowerCase().includes(part) || id.toLowerCase().includes(part);
}

/** A chosen user with a text that no other chosen user has. */
export function apart(chosen: Mentioned, others: readonly Mentioned[]): Mentioned {
  const isTaken = others.some(({ id, value }) => id !== chosen.id && value === chosen.value);
  return isTaken ? { id: chosen.id, value: chosen.id } : chosen;
}

/** The text with a mention instead of what was typed, and the caret after it. */
export function withMention(text: string, { at, text: typed }: Typed, { value }: Mentioned) {
  const before = `${text.slice(0, at)}@${value} `;
  return { text: before + text.slice(at + 1 + typed.length).replace(/^ /, ''), caret: before.length };
}

/** The HTML of a comment: paragraphs, line breaks, and the mentions that are still in the text. */
export function asHtml(text: string, mentioned: readonly Mentioned[]): string {
  const safe = escaped(text);
  return linked(safe, mentioned)
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('');
}

function linked(safe: string, mentioned: readonly Mentioned[]): string {
  // The longest first: one name may begin with another.
  const known = mentioned
    .map(({ id, value }) => ({ id: escaped(id), value: escaped(value) }))
    .sort((one, other) => other.value.length - one.value.length);
  let html = '';
  let from = 0;
  for (let at = safe.indexOf('@'); at >= 0; at = safe.indexOf('@', Math.max(from, at + 1))) {
    const found = known.find(
      ({ value }) => safe.startsWith(value, at + 1) && endsAt(safe, at + 1 + value.length),
    );
    if (!found) continue;
    const { id, value } = found;
    html += `${safe.slice(from, at)}<span class="mention" data-id="${id}" data-value="${value}">@${value}</span>`;
    from = at + 1 + value.length;
  }
  return html + safe.slice(from);
}

// `@Ann` is no mention in `@Anna`.
function endsAt(text: string, at: number): boolean {
  return !/^[\p{L}\p{N}]/u.test(text.slice(at, at + 2));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
