import { type RichElement, type RichNode, type RichTag, safeHref } from './rich-node.ts';

const TAGS: Readonly<Record<string, RichTag>> = {
  p: 'block',
  div: 'block',
  section: 'block',
  article: 'block',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
  u: 'underline',
  ins: 'underline',
  s: 'strike',
  del: 'strike',
  code: 'code',
  kbd: 'code',
  pre: 'pre',
  blockquote: 'quote',
  ul: 'ul',
  ol: 'ol',
  li: 'li',
  a: 'link',
  table: 'table',
  tr: 'tr',
  td: 'td',
  th: 'td',
};

/** Elements without readable text. */
const SILENT = new Set([
  'script',
  'style',
  'iframe',
  'object',
  'template',
  'noscript',
  'svg',
  'math',
  'title',
  'textarea',
]);

/** Maximum elements and nesting depth. Beyond them, only the text is kept. */
const MOST = 5_000;
const DEEPEST = 40;
/** Maximum characters read: a longer preview is useless. */
const LONGEST = 200_000;

interface Open {
  readonly name: string;
  readonly tag: RichTag | null;
  readonly href?: string;
  readonly children: RichNode[];
}

/**
 * Parses HTML into data with a few formatting elements. Of all others only the text remains. It need not
 * match a browser's parser: whatever the input, the output contains only these elements.
 */
export function parseHtml(source: string): readonly RichNode[] {
  const html = source.slice(0, LONGEST);
  const lower = html.toLowerCase();
  const ends: Ends = { tag: html.lastIndexOf('>'), comment: html.lastIndexOf('-->') };
  const root: Open = { name: '', tag: null, children: [] };
  const stack: Open[] = [root];
  let count = 0;
  let at = 0;
  const top = () => stack.at(-1) ?? root;
  const close = () => {
    const done = stack.pop();
    if (!done) return;
    if (done.tag === null) top().children.push(...done.children);
    else top().children.push(elementOf(done, done.tag));
  };
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const until = open < 0 ? html.length : open;
    if (until > at) top().children.push(decoded(html.slice(at, until)));
    if (open < 0) break;
    const tag = open < ends.tag ? tagAt(html, open) : null;
    if (!tag) {
      const end = endOfOther(html, open, ends);
      if (end < 0) top().children.push('<');
      at = end < 0 ? open + 1 : end;
      continue;
    }
    const { name, attributes } = tag;
    at = tag.end;
    if (tag.closes) {
      const from = stack.findLastIndex((one) => one.name === name);
      if (from > 0) while (stack.length > from) close();
    } else if (SILENT.has(name)) {
      const end = lower.indexOf(`</${name}`, at);
      at = end < 0 ? html.length : end;
    } else if (name === 'br') top().children.push({ tag: 'break', children: [] });
    else if (name === 'hr') top().children.push({ tag: 'rule', children: [] });
    else if (tagOf(tag) && count < MOST && stack.length < DEEPEST) {
      count += 1;
      stack.push({ name, tag: tagOf(tag), href: hrefOf(attributes), children: [] });
    }
  }
  while (stack.length > 1) close();
  return root.children;
}

/** Ends of the last tag and the last comment. Searches stop there, which keeps parsing linear. */
interface Ends {
  readonly tag: number;
  readonly comment: number;
}

interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly attributes: string;
  readonly closes: boolean;
  /** Position after the tag. */
  readonly end: number;
}

/** Maximum characters of a tag. */
const TAG_LENGTH = 4_096;

// A `>` in quotes does not end a tag.
function tagAt(html: string, open: number): Tag | null {
  const [start, slash, name] = /^<(\/?)([a-z][a-z0-9-]*)/i.exec(html.slice(open, open + TAG_LENGTH)) ?? [];
  if (start === undefined || name === undefined) return null;
  const from = open + start.length;
  const most = Math.min(html.length, open + TAG_LENGTH);
  for (let at = from; at < most; at += 1) {
    const sign = html[at];
    if (sign === '>') {
      const attributes = html.slice(from, at);
      return { name: name.toLowerCase(), attributes, closes: slash === '/', end: at + 1 };
    }
    if (sign !== '"' && sign !== "'") continue;
    for (at += 1; at < most && html[at] !== sign; ) at += 1;
  }
  return null;
}

// The end of a comment, or of an element with overlong attributes, such as an inline picture. -1 if the `<`
// is plain text.
function endOfOther(html: string, open: number, ends: Ends): number {
  if (html.startsWith('<!--', open)) {
    return open < ends.comment ? html.indexOf('-->', open) + '-->'.length : -1;
  }
  const from = open + TAG_LENGTH;
  return from <= ends.tag && /^<[a-z]/i.test(html.slice(open, open + 2)) ? html.indexOf('>', from) + 1 : -1;
}

function tagOf({ name, attributes }: Tag): RichTag | null {
  if (name === 'span') return classesOf(attributes).includes('mention') ? 'mention' : null;
  return TAGS[name] ?? null;
}

function elementOf({ children, href }: Open, tag: RichTag): RichElement {
  return href === undefined ? { tag, children } : { tag, children, href };
}

function classesOf(attributes: string): readonly string[] {
  const found = /\sclass\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
  return (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').split(/\s/);
}

function hrefOf(attributes: string): string | undefined {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
  const text = found?.[1] ?? found?.[2] ?? found?.[3];
  return text === undefined ? undefined : safeHref(decoded(text));
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
