/** The properties of a keyboard event that shortcuts use. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * The name of a key press in shortcut notation: `mod+k`, `alt+ArrowUp`, `shift+mod+z`, `?`, `n`. `mod` is ⌘
 * on a Mac and Ctrl elsewhere. Shift is named only if the key itself does not imply it.
 */
export function nameOfPress(press: Press, isMac: boolean): string {
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const isSign = press.key.length === 1 && !/[a-z]/i.test(press.key);
  const parts = [
    ...(press.shiftKey && !isSign ? ['shift'] : []),
    ...(mod ? ['mod'] : []),
    ...((isMac ? press.ctrlKey : press.metaKey) ? ['other'] : []),
    ...(press.altKey ? ['alt'] : []),
    press.key.length === 1 ? press.key.toLowerCase() : press.key,
  ];
  return parts.join('+');
}

/** True for a shortcut that types a character. It is off in text fields, and the user can switch it off. */
export function isCharacterShortcut(keys: string): boolean {
  return keys
    .split(' ')
    .every((one) => !/(^|\+)(mod|alt|other)\+/.test(one) && (one.split('+').at(-1)?.length ?? 0) === 1);
}

/** A shortcut as text: `⌘K` on a Mac, `Ctrl K` elsewhere. */
export function shownKeys(keys: string, isMac: boolean): readonly string[] {
  return keys.split(' ').flatMap((press) => press.split('+').map((part) => shownPart(part, isMac)));
}

const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
  Escape: 'Esc',
  Delete: 'Del',
  ' ': '␣',
};

function shownPart(part: string, isMac: boolean): string {
  if (part === 'mod') return isMac ? '⌘' : 'Ctrl';
  if (part === 'shift') return isMac ? '⇧' : 'Shift';
  if (part === 'alt') return isMac ? '⌥' : 'Alt';
  return SIGNS[part] ?? (part.length === 1 ? part.toUpperCase() : part);
}
