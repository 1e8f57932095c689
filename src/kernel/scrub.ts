const MASK = '********';

/** What looks like a credential: of a URL, of a header, of a parameter, of a Stripe-like key. */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/(:\/\/[^\s:/?#@]*:)[^\s/?#@]+@/g, `$1${MASK}@`],
  [/\b(token|bearer|basic)(\s+)[\w.~+/=:-]{6,}/gi, `$1$2${MASK}`],
  [
    /((?:password|passwd|pwd|secret|token|api_?key|authorization|cookie|sid)["']?\s*[=:]\s*["']?)[^\s"',;&)}]+/gi,
    `$1${MASK}`,
  ],
  [/\bwhsec_[\w+/=-]+/g, MASK],
];

/** The text without the known secrets, and without what looks like a credential. */
export function scrubSecrets(text: string, secrets: readonly string[] = []): string {
  let scrubbed = text;
  for (const secret of secrets) scrubbed = scrubbed.replaceAll(secret, MASK);
  for (const [pattern, mask] of CREDENTIALS) scrubbed = scrubbed.replace(pattern, mask);
  return scrubbed;
}
