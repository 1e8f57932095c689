import { HEADER_MASK } from './header-rules.ts';

/** Shorter texts are no credentials, and masking them would spoil the rest. Characters. */
const SHORTEST = 4;

/**
 * A text with asterisks in place of every secret that it repeats: as it was sent, without its scheme (`Bearer …`), decoded
 * (`Basic …`), and escaped for JSON, HTML or a URL. `isCut`: the text may end in the middle of a secret.
 */
export function maskSecrets(text: string, secrets: readonly string[], isCut = false): string {
  if (secrets.length === 0 || text.length < SHORTEST) return text;
  const forms = [...new Set(secrets.flatMap(partsOf).flatMap(formsOf))]
    .filter((form) => form.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
  let masked = text;
  for (const form of forms) masked = masked.replaceAll(form, HEADER_MASK);
  return isCut ? maskTail(masked, forms) : masked;
}

/** The value of a header, and what of it is secret by itself. */
function partsOf(value: string): string[] {
  const space = value.indexOf(' ');
  if (space === -1) return [value];
  const [scheme, rest] = [value.slice(0, space), value.slice(space + 1).trim()];
  if (scheme.toLowerCase() !== 'basic') return [value, rest];
  const decoded = Buffer.from(rest, 'base64').toString('utf8');
  return [value, rest, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

function formsOf(part: string): string[] {
  const json = JSON.stringify(part).slice(1, -1);
  const url = encodeURIComponent(part.toWellFormed());
  const html = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = html.replaceAll('"', '&quot;');
  return [
    part,
    json,
    json.replaceAll('/', '\\/'),
    url,
    url.replaceAll('%20', '+'),
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    html,
    quoted,
    quoted.replaceAll("'", '&#39;'),
    quoted.replaceAll("'", '&#x27;'),
    Buffer.from(part, 'utf8').toString('base64'),
  ];
}

function maskTail(text: string, forms: readonly string[]): string {
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST; length -= 1) {
      if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + HEADER_MASK;
    }
  }
  return text;
}
