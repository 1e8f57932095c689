const STORED = 'chancery.doctypes';
/** A longer list would need a search, which is a screen of its own. */
const MOST = 16;
/** Modules that exist on every site. Their doctypes have their own screens or are listed under Doctypes. */
const STANDARD: ReadonlySet<string> = new Set(['Core', 'Custom', 'Integrations']);

interface Listed {
  readonly name: string;
  readonly module: string;
  readonly istable: boolean;
  readonly rights: ReadonlySet<string>;
}

/** The site's own doctypes that the user may read. */
export function ownDoctypes<T extends Listed>(doctypes: readonly T[]): readonly T[] {
  return doctypes.filter((one) => !one.istable && !STANDARD.has(one.module) && one.rights.has('read'));
}

/** Doctypes for the sidebar, sorted by name: all own ones of a small site, otherwise the last opened. */
export function doctypesAtTheSide(doctypes: readonly Listed[]): readonly string[] {
  const names = ownDoctypes(doctypes).map((one) => one.name);
  if (names.length <= MOST) return names;
  const readable = new Set(doctypes.filter((one) => one.rights.has('read')).map((one) => one.name));
  const opened = openedDoctypes().filter((name) => readable.has(name));
  return [...new Set([...opened, ...names])].slice(0, MOST).toSorted((a, b) => a.localeCompare(b));
}

/** Doctypes last opened on this device, newest first. */
export function openedDoctypes(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Records that a doctype was opened. Lists and forms call it. */
export function noteOpened(doctype: string): void {
  const rest = openedDoctypes().filter((one) => one !== doctype);
  localStorage.setItem(STORED, JSON.stringify([doctype, ...rest].slice(0, MOST)));
}
