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

/** Elements whose content is no text to read. */
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

/** Elements kept, and how deep: beyond it the text goes on without them. */
const MOST = 5_000;
const DEEPEST = 40;
/** Characters read: a preview of more helps nobody. */
const LONGEST = 200_000;

interface Open {
  readonly name: string;
  readonly tag: RichTag | null;
  readonly href?: string;
  readonly children: RichNode[];
}

/**
 * HTML as data, by the few elements that formatted text has; all others leave their words behind. It need not read as a browser
 * does: what comes out can hold nothing but these elements, whatever went in.
 */
export function parseHtml(source: string): readonly RichNode[] {
  const html = source.slice(0, LONGEST);
  const lower = html.toLowerCase();
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
    const tag = /^<(\/?)([a-z][a-z0-9-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/i.exec(
      html.slice(open, open + 4_096),
    );
    if (!tag) {
      const end = endOfOther(html, open);
      if (end < 0) top().children.push('<');
      at = end < 0 ? open + 1 : end;
      continue;
    }
    const [whole, slash, rawName = '', attributes = ''] = tag;
    const name = rawName.toLowerCase();
    at = open + whole.length;
    if (slash) {
      const from = stack.findLastIndex((one) => one.name === name);
      if (from > 0) while (stack.length > from) close();
    } else if (SILENT.has(name)) {
      const end = lower.indexOf(`</${name}`, at);
      at = end < 0 ? html.length : end;
    } else if (name === 'br') top().children.push({ tag: 'break', children: [] });
    else if (name === 'hr') top().children.push({ tag: 'rule', children: [] });
    else if (TAGS[name] && count < MOST && stack.length < DEEPEST) {
      count += 1;
      stack.push({ name, tag: TAGS[name] ?? null, href: hrefOf(attributes), children: [] });
    }
  }
  while (stack.length > 1) close();
  return root.children;
}

// A comment, or an element with more in it than anyone reads, such as a picture as data. -1: a sign like any other.
function endOfOther(html: string, open: number): number {
  const [mark, extra] = html.startsWith('<!--', open) ? ['-->', 3] : ['>', 1];
  if (extra === 1 && !/^<[a-z]/i.test(html.slice(open, open + 2))) return -1;
  const end = html.indexOf(String(mark), open + (extra === 1 ? 4_096 : 0));
  return end < 0 ? -1 : end + Number(extra);
}

function elementOf({ children, href }: Open, tag: RichTag): RichElement {
  return href === undefined ? { tag, children } : { tag, children, href };
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
