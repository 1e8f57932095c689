import type { Boot } from '../../data/boot.ts';

const STORED = 'chancery.doctypes';
/** More would be a list to search in, and that is a screen of its own. */
const MOST = 16;

/** What every site has: its doctypes have screens of their own, or are found below Doctypes. */
const STANDARD: ReadonlySet<string> = new Set(['Core', 'Custom', 'Integrations']);

/** Doctypes at the side: all of a small site's own, else those that were opened last, by the alphabet. */
export function doctypesAtTheSide({ doctypes }: Boot): readonly string[] {
  const own = [...doctypes.values()].filter(
    (one) => !one.istable && !STANDARD.has(one.module) && one.rights.has('read'),
  );
  const names = own.map((one) => one.name);
  if (names.length <= MOST) return names;
  const opened = openedDoctypes().filter((name) => doctypes.get(name)?.rights.has('read'));
  return [...new Set([...opened, ...names])].slice(0, MOST).toSorted((a, b) => a.localeCompare(b));
}

/** The doctypes opened last on this device, the latest first. */
export function openedDoctypes(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Remembers that a doctype was opened. */
export function noteOpened(doctype: string): void {
  const rest = openedDoctypes().filter((one) => one !== doctype);
  localStorage.setItem(STORED, JSON.stringify([doctype, ...rest].slice(0, MOST)));
}
