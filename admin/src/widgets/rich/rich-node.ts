/**
 * Formatted text as data: what becomes elements is decided by who shows it, and nothing of the source but its
 * words gets through.
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
  | 'table'
  | 'tr'
  | 'td'
  | 'break'
  | 'rule';

/** An address that a link may lead to; undefined for scripts and whatever else a browser would run. */
export function safeHref(text: string): string | undefined {
  const address = [...text.trim()].filter((sign) => sign > ' ').join('');
  return /^(?:https?:\/\/|mailto:|tel:|\/(?![/\\])|#)/i.test(address) ? address : undefined;
}
