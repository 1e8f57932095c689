import { type RichElement, type RichNode, safeHref } from './rich-node.ts';

/** Parses the inline marks of Markdown: code, emphasis and links. Characters that mark nothing stay text. */
export function inline(text: string): RichNode[] {
  const nodes: RichNode[] = [];
  const brackets = new Brackets(text);
  let shown = 0;
  let at = 0;
  while (at < text.length) {
    const found = markAt(text, at, brackets);
    if (found) {
      if (at > shown) nodes.push(text.slice(shown, at));
      nodes.push(found.node);
      shown = found.end;
    }
    at = found?.end ?? at + 1;
  }
  if (shown < text.length) nodes.push(text.slice(shown));
  return nodes;
}

interface Found {
  readonly node: RichNode;
  /** Position after the mark. */
  readonly end: number;
}

function markAt(text: string, at: number, brackets: Brackets): Found | null {
  switch (text[at]) {
    case '`':
      return between(text, at, '`', 'code');
    case '*':
      return between(text, at, '**', 'strong') ?? emphasis(text, at);
    case '_':
      return between(text, at, '__', 'strong') ?? (isWord(text[at - 1]) ? null : emphasis(text, at));
    case '~':
      return between(text, at, '~~', 'strike');
    case '[':
      return brackets.linkAt(at);
    default:
      return null;
  }
}

// The content cannot contain the mark's character, so the search for its end stops at the next one.
function between(text: string, at: number, mark: string, tag: RichElement['tag']): Found | null {
  const start = at + mark.length;
  if (!text.startsWith(mark, at)) return null;
  const end = text.indexOf(mark[0] ?? '', start);
  if (end <= start || !text.startsWith(mark, end)) return null;
  return { node: { tag, children: [text.slice(start, end)] }, end: end + mark.length };
}

// `2 * 3` and snake_case_names contain no emphasis.
function emphasis(text: string, at: number): Found | null {
  const sign = text[at] ?? '';
  const found = /^\s/.test(text.slice(at + 1, at + 2)) ? null : between(text, at, sign, 'em');
  return found && sign === '_' && isWord(text[found.end]) ? null : found;
}

function isWord(sign: string | undefined): boolean {
  return sign !== undefined && /^\w$/.test(sign);
}

/**
 * Finds links by their closing brackets. Each bracket is searched and read once, whatever the number of open
 * brackets.
 */
class Brackets {
  readonly #text: string;
  #close = -1;
  #address: { readonly text: string; readonly end: number } | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  linkAt(at: number): Found | null {
    if (this.#close <= at) this.#find(at);
    if (!this.#address) return null;
    const { text: address, end } = this.#address;
    const href = safeHref(address);
    const label = this.#text.slice(at + 1, this.#close);
    const whole = this.#text.slice(at, end);
    return { node: href === undefined ? whole : { tag: 'link', href, children: [label] }, end };
  }

  #find(at: number): void {
    const close = this.#text.indexOf(']', at + 1);
    this.#close = close < 0 ? Number.POSITIVE_INFINITY : close;
    ADDRESS.lastIndex = close + 1;
    const [whole, text = ''] = (close < 0 ? null : ADDRESS.exec(this.#text)) ?? [];
    this.#address = whole === undefined ? null : { text, end: close + 1 + whole.length };
  }
}

const ADDRESS = /\(([^()\s]*)\)/y;
