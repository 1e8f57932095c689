import { lastOpened, ownDoctypes } from '../../base/opened.ts';
import type { Boot } from '../../data/boot.ts';

/** Each doctype costs a request, so only the user's own doctypes are included. */
const DOCTYPES = 6;

/** The user's doctypes: recently opened ones first, then the site's own. */
export function workedDoctypes({ doctypes }: Boot): readonly string[] {
  const own = ownDoctypes([...doctypes.values()]).filter((one) => !one.issingle && !one.is_virtual);
  const names = new Set(own.map((one) => one.name));
  const opened = lastOpened.get().filter((name) => names.has(name));
  return [...new Set([...opened, ...names])].slice(0, DOCTYPES);
}
