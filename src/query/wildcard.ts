import { fold, foldPattern } from '../db/fold.ts';

type Token = { readonly character: string } | 'one' | 'any';

/** A `like` pattern made ready: `%` is any text, `_` one character, `\` escapes; letters match without their case. */
export function wildcard(pattern: string): (text: string) => boolean {
  const tokens = tokensOf(foldPattern(pattern));
  return (text) => matches(tokens, [...fold(text)]);
}

function tokensOf(folded: string): readonly Token[] {
  const tokens: Token[] = [];
  const characters = [...folded];
  for (let at = 0; at < characters.length; at += 1) {
    let character = characters[at] ?? '';
    if (character === '%') {
      if (tokens.at(-1) !== 'any') tokens.push('any');
    } else if (character === '_') tokens.push('one');
    else {
      if (character === '\\') {
        at += 1;
        character = characters[at] ?? '';
      }
      tokens.push({ character });
    }
  }
  return tokens;
}

// Goes back only to the last `%`, so that no pattern takes longer than its length times the text's.
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let any = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = tokens[token];
    if (wanted === 'any') {
      any = token;
      resume = at;
      token += 1;
    } else if (wanted === 'one' || (wanted && wanted.character === text[at])) {
      token += 1;
      at += 1;
    } else if (any >= 0) {
      resume += 1;
      token = any + 1;
      at = resume;
    } else return false;
  }
  return tokens.slice(token).every((left) => left === 'any');
}
