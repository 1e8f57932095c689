/**
 * Formatted text as data. The renderer chooses the elements, so only the text of the source reaches the page.
 */
export type RichNode = string | RichElement;

export interface RichElement {
  readonly tag: RichTag;
  readonly children: readonly RichNode[];
  /** Checked URL of a link. */
  readonly href?: string;
}

/** Allowed nodes of formatted text. */
export type RichTag =
  | 'block'
  | 'heading'
  | 'strong'
  | 'em'
  | 'underline'
  | 'strike'
  | 'code'
  | 'pre'
  | 'quote'
  | 'ul'
  | 'ol'
  | 'li'
  | 'link'
  | 'mention'
  | 'table'
  | 'tr'
  | 'td'
  | 'break'
  | 'rule';

/** A URL that a link may use; undefined for scripts and other executable schemes. */
export function safeHref(text: string): string | undefined {
  const address = [...text.trim()].filter((sign) => sign > ' ').join('');
  return /^(?:https?:\/\/|mailto:|tel:|\/(?![/\\])|#)/i.test(address) ? address : undefined;
}
