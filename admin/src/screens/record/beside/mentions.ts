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
  if (mentioned.length === 0) return safe;
  const byText = new Map(mentioned.map((one) => [escaped(one.value), escaped(one.id)]));
  // The longest first: one name may begin with another.
  const names = [...byText.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return safe.replace(new RegExp(`@(${names.join('|')})(?![\\p{L}\\p{N}])`, 'gu'), (whole, name: string) => {
    const id = byText.get(name) ?? '';
    return `<span class="mention" data-id="${id}" data-value="${name}">${whole}</span>`;
  });
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
