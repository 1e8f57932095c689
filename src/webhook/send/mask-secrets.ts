import { memo } from '../../kernel/memo.ts';
import { Recent } from '../../kernel/recent.ts';
import { type BareText, bareText } from './bare-text.ts';
import { HEADER_MASK } from './header-rules.ts';
import { SECRET_PREFIX } from './sign.ts';

/** Shorter texts are not credentials, and masking them would spoil the rest. Characters. */
const SHORTEST = 4;
/** Characters of a text in the cache of texts without a secret, and half the texts in it. */
const LONGEST_CLEAN = 100;
const MOST_CLEAN = 24;

/** A range of a text. */
type Span = readonly [start: number, end: number];

/**
 * Replaces every secret in a text with asterisks: whole, without its scheme (`Bearer …`), decoded (`Basic
 * …`), escaped in any way that `bareText` knows, in quoted-printable, in other case, broken into lines, in
 * hexadecimal, and in base64 by itself or within other text. `isCut`: the text may end in the middle of a secret.
 */
export function maskSecrets(text: string, secrets: readonly string[], isCut = false): string {
  if (secrets.length === 0 || text.length < SHORTEST) return text;
  const { exact, bare, ...forms } = formsOf(secrets);
  const clean = isCut ? forms.cleanIfCut : forms.clean;
  if (clean.get(text)) return text;
  const spans = [
    ...exact.flatMap((form) => spansOf(text, form)),
    ...bareSpans(bareText(text, isCut), bare, isCut),
    ...(text.includes('=') ? bareSpans(bareText(text, isCut, true), bare, isCut) : []),
  ];
  if (spans.length > 0) return masked(text, spans);
  if (text.length <= LONGEST_CLEAN) clean.set(text, true);
  return text;
}

/** Patterns to find: in the original text, and in its bare text. */
interface Forms {
  readonly exact: readonly string[];
  readonly bare: readonly string[];
  /** Short texts without a secret, whole or perhaps cut: most responses of a receiver are alike. */
  readonly clean: Recent<true>;
  readonly cleanIfCut: Recent<true>;
}

/** Cached, since each response of a webhook is searched for the same secrets. */
const formsOf = memo((secrets: readonly string[]): Forms => {
  const exact = [...new Set(secrets.flatMap(partsOf))].filter((part) => part.length >= SHORTEST);
  const bare = [...new Set(exact.flatMap(bareForms))];
  return { exact, bare, clean: new Recent(MOST_CLEAN), cleanIfCut: new Recent(MOST_CLEAN) };
});

/** The value of a header, and its parts that are secret by themselves. */
function partsOf(value: string): string[] {
  if (value.startsWith(SECRET_PREFIX)) return [value, value.slice(SECRET_PREFIX.length)];
  const space = value.indexOf(' ');
  if (space === -1) return [value];
  const [scheme, rest] = [value.slice(0, space), value.slice(space + 1).trim()];
  if (scheme.toLowerCase() !== 'basic') return [value, rest];
  const decoded = Buffer.from(rest, 'base64').toString('utf8');
  return [value, rest, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** The part and its encodings, in the form of a bare text. */
function bareForms(part: string): string[] {
  // Also encoded after escaping, such as part of a JSON string.
  const encoded = [...new Set([part, JSON.stringify(part).slice(1, -1), part.toLowerCase()])].flatMap(
    (form) => {
      const bytes = Buffer.from(form, 'utf8');
      return [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Within(bytes, before))];
    },
  );
  return [part, ...encoded].map((form) => bareText(form).text).filter((form) => form.length >= SHORTEST);
}

/**
 * The characters of base64 that depend on these bytes alone, if `before` bytes (modulo three) precede them.
 */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

function spansOf(text: string, form: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    spans.push([at, at + form.length]);
  }
  return spans;
}

function bareSpans({ text, starts, ends }: BareText, forms: readonly string[], isCut: boolean): Span[] {
  const spanOf = (at: number, length: number): Span => [starts[at] ?? 0, ends[at + length - 1] ?? 0];
  return forms.flatMap((form) => {
    const spans = spansOf(text, form).map(([at]) => spanOf(at, form.length));
    const tail = isCut ? tailLength(text, form) : 0;
    return tail > 0 ? [...spans, spanOf(text.length - tail, tail)] : spans;
  });
}

/** The length of the prefix of `form` at the end of the text. */
function tailLength(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST; length -= 1) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}

function masked(text: string, spans: readonly Span[]): string {
  let result = '';
  let done = 0;
  let isOpen = false;
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (end <= done) continue;
    // Adjacent spans are one secret.
    if (start > done || !isOpen) result += text.slice(done, start) + HEADER_MASK;
    isOpen = true;
    done = end;
  }
  return result + text.slice(done);
}
