import type { Command } from '../../base/commands.ts';

/**
 * Commands that match the typed text, best first. Every word must occur; a match at the start of a word ranks
 * higher.
 */
export function matching(commands: readonly Command[], typed: string, most: number): readonly Command[] {
  const words = wordsOf(typed);
  if (words.length === 0) return commands.slice(0, most);
  return commands
    .map((command) => ({ command, score: scoreOf(command, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ command }) => command);
}

/** Commands of one group together, at most `each` of them; groups in the order of their first command. */
export function grouped(commands: readonly Command[], each: number): readonly Command[] {
  return [...Map.groupBy(commands, ({ group }) => group).values()].flatMap((group) => group.slice(0, each));
}

function scoreOf({ label, keywords = '', group }: Command, words: readonly string[]): number {
  const name = plain(label);
  const text = `${name} ${plain(keywords)} ${plain(group)}`;
  let score = 0;
  for (const word of words) {
    if (!text.includes(word)) return 0;
    if (name.startsWith(word)) score += 4;
    else if (name.includes(` ${word}`)) score += 3;
    else score += name.includes(word) ? 2 : 1;
  }
  // Of two equal matches the shorter is more likely.
  return score + 1 / (1 + name.length);
}

/** The words of a text, without case and accents. */
export function wordsOf(text: string): readonly string[] {
  return plain(text).split(/\s+/).filter(Boolean);
}

/** Ignores case and accents. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
