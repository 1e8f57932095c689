/** Folds case for all of Unicode: texts that differ only in case fold to the same text. */
export function fold(text: string): string {
  // Lower, upper, lower: ẞ equals ß and SS, and the three sigmas become one.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

const ESCAPABLE = new Set(['%', '_', '\\']);

/**
 * Folds a `like` pattern and normalises its escapes for both engines: `\` escapes `%`, `_` and `\`; anywhere
 * else, including at the end, it stands for itself.
 */
export function foldPattern(pattern: string): string {
  let folded = '';
  let literal = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    const next = pattern.charAt(at + 1);
    const escapes = char === '\\' && ESCAPABLE.has(next);
    if (!escapes && !ESCAPABLE.has(char)) {
      literal += char;
      continue;
    }
    folded += fold(literal);
    literal = '';
    if (escapes) {
      folded += `\\${next}`;
      at += 1;
    } else folded += char === '\\' ? '\\\\' : char;
  }
  return folded + fold(literal);
}
