import { createRequire } from 'node:module';
import type sanitizeHtml from 'sanitize-html';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

/** The allowed HTML of a text: `rich` for the output of a rich text editor, `plain` for other fields. */
export type HtmlKind = 'plain' | 'rich';

/** Remaining tags and entities, shared by all texts of a document, because each costs time. */
export interface HtmlBudget {
  marks: number;
}

/** The budget of one document. */
export function htmlBudget(): HtmlBudget {
  return { marks: LIMITS.htmlMarks };
}

/**
 * Makes text safe to show as HTML. Text without tags stays unchanged, so `a < b` stays `a < b`. Forbidden
 * tags become text, with nothing lost; allowed ones lose active parts. Idempotent.
 * @throws ServiceError ValidationError when a document has too many tags
 */
export function sanitiseHtml(text: string, kind: HtmlKind, budget: HtmlBudget): string {
  if (!text.includes('<') || !TAG.test(text)) return text;
  budget.marks -= marksOf(text);
  if (budget.marks < 0) {
    throw new ServiceError(
      'ValidationError',
      `and the texts before it have more than ${LIMITS.htmlMarks} tags and entities`,
    );
  }
  const { others, options } = POLICIES[kind];
  const inert = unfinished(text).replace(others, '&lt;');
  return sanitizer()(inert, { ...options, ...depthGuard() });
}

// Loaded with the first text that needs it: the library takes a fifth of the start time.
let loaded: typeof sanitizeHtml | null = null;
function sanitizer(): typeof sanitizeHtml {
  loaded ??= createRequire(import.meta.url)('sanitize-html') as typeof sanitizeHtml;
  return loaded;
}

// An e-mail address in angle brackets is not an element, and has no attributes.
const TAG = /<(?!\w[^\s<>"'`=/@]*@[^\s<>"'`=/@]+>)(?:\/?[a-z]|[!?])/i;

// An unclosed comment or tag would swallow the rest of the text.
function unfinished(text: string): string {
  const lastEnd = text.lastIndexOf('>');
  const lastComment = text.lastIndexOf('-->');
  return text.replace(/<(?:!--)?/g, (opening, at: number) => {
    const isFinished = at < (opening === '<' ? lastEnd : lastComment);
    return isFinished ? opening : `&lt;${opening.slice(1)}`;
  });
}

function marksOf(text: string): number {
  let marks = 0;
  for (const mark of ['<', '>', '&']) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) marks += 1;
  }
  return marks;
}

// The parser takes quadratic time in the depth.
function depthGuard(): sanitizeHtml.IOptions {
  let depth = 0;
  return {
    onOpenTag() {
      depth += 1;
      if (depth > LIMITS.htmlDepth) {
        throw new ServiceError('ValidationError', `has tags nested more than ${LIMITS.htmlDepth} deep`);
      }
    },
    onCloseTag() {
      depth -= 1;
    },
  };
}

interface Policy {
  /** The `<` of anything but comments and allowed tags. */
  readonly others: RegExp;
  readonly options: sanitizeHtml.IOptions;
}

const PLAIN_TAGS = [
  ...['a', 'abbr', 'b', 'blockquote', 'br', 'code', 'dd', 'del', 'div', 'dl', 'dt', 'em', 'h1', 'h2', 'h3'],
  ...['h4', 'h5', 'h6', 'hr', 'i', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 'q', 's', 'small', 'span'],
  ...['strike', 'strong', 'sub', 'sup', 'u', 'ul'],
];

const RICH_TAGS = [
  ...PLAIN_TAGS,
  ...['caption', 'col', 'colgroup', 'details', 'figcaption', 'figure', 'font', 'img', 'section', 'summary'],
  ...['table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
];

const LINK = { a: ['href', 'title', 'rel', { name: 'target', values: ['_blank'] }] };

const POLICIES: Readonly<Record<HtmlKind, Policy>> = {
  plain: policy(PLAIN_TAGS, { allowedAttributes: LINK }),
  rich: policy(RICH_TAGS, {
    allowedAttributes: {
      ...LINK,
      '*': ['style', 'class', 'title', 'dir', 'lang', 'align'],
      img: ['src', 'alt', 'width', 'height'],
      li: ['data-list'],
      ol: ['start', 'type'],
      font: ['color'],
      span: ['data-id', 'data-value', 'data-denotation-char'],
      table: ['width', 'border', 'cellpadding', 'cellspacing'],
      td: ['colspan', 'rowspan', 'width', 'data-row'],
      th: ['colspan', 'rowspan', 'width', 'scope'],
      col: ['span', 'width'],
    },
    // Classes of common editors; any other class could imitate the page's own elements.
    allowedClasses: { '*': ['ql-*', 'language-*', 'mention'] },
    transformTags: { '*': styled },
  }),
};

function policy(tags: readonly string[], options: sanitizeHtml.IOptions): Policy {
  return {
    others: new RegExp(`<(?!!--|/?(?:${tags.join('|')})(?=[\\s/>]))`, 'gi'),
    options: {
      allowedTags: [...tags],
      allowedSchemes: ['http', 'https', 'ftp', 'mailto', 'tel'],
      allowedSchemesByTag: { img: ['http', 'https', 'data'] },
      // Nothing forbidden gets here; if it did, it would be shown and not run.
      disallowedTagsMode: 'escape',
      parseStyleAttributes: false,
      ...options,
    },
  };
}

/** Characters of one `style`; no real formatting is longer. */
const STYLE_LENGTH = 2_000;

const STYLES: ReadonlySet<string> = new Set([
  ...['background-color', 'border', 'border-color', 'color', 'font-family', 'font-size', 'font-style'],
  ...['font-weight', 'height', 'line-height', 'list-style-type', 'margin-left', 'padding-left', 'text-align'],
  ...['text-decoration', 'vertical-align', 'white-space', 'width'],
]);
/** Characters of one declaration's value. */
const VALUE_LENGTH = 100;
const COLOR_FUNCTION = /\b(?:rgb|rgba|hsl|hsla)\([\d.,%\s/]{1,40}\)/gi;

// Keeps declarations from an allowlist whose values fetch and compute nothing.
function styled(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { style, ...others } = attribs;
  if (style === undefined) return { tagName, attribs };
  if (style.length > STYLE_LENGTH) return { tagName, attribs: others };
  const kept = style.split(';').flatMap((declaration) => {
    const [property = '', value = '', ...more] = declaration.split(':').map((part) => part.trim());
    const isSafe =
      STYLES.has(property.toLowerCase()) &&
      more.length === 0 &&
      value !== '' &&
      value.length <= VALUE_LENGTH &&
      !/[\\"'<>&]/.test(value) &&
      !value.replace(COLOR_FUNCTION, '').includes('(');
    return isSafe ? [`${property.toLowerCase()}: ${value}`] : [];
  });
  return { tagName, attribs: kept.length === 0 ? others : { ...others, style: kept.join('; ') } };
}
