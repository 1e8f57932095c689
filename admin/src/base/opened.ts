const STORED = 'chancery.doctypes';
/** More would be a list to search in, and that is a screen of its own. */
const MOST = 16;
/** Modules of every site: their doctypes have their own screens or are listed under Doctypes. */
const STANDARD: ReadonlySet<string> = new Set(['Core', 'Custom', 'Integrations']);

interface Listed {
  readonly name: string;
  readonly module: string;
  readonly istable: boolean;
  readonly rights: ReadonlySet<string>;
}

/** The doctypes that this site was set up for, as far as somebody reads them. */
export function ownDoctypes<T extends Listed>(doctypes: readonly T[]): readonly T[] {
  return doctypes.filter((one) => !one.istable && !STANDARD.has(one.module) && one.rights.has('read'));
}

/** Doctypes at the side: all of a small site's own, else those that were opened last, by the alphabet. */
export function doctypesAtTheSide(doctypes: readonly Listed[]): readonly string[] {
  const names = ownDoctypes(doctypes).map((one) => one.name);
  if (names.length <= MOST) return names;
  const readable = new Set(doctypes.filter((one) => one.rights.has('read')).map((one) => one.name));
  const opened = openedDoctypes().filter((name) => readable.has(name));
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

/** Remembers that a doctype was opened: lists and forms say so. */
export function noteOpened(doctype: string): void {
  const rest = openedDoctypes().filter((one) => one !== doctype);
  localStorage.setItem(STORED, JSON.stringify([doctype, ...rest].slice(0, MOST)));
}
