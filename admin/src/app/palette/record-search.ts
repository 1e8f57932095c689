import type { Command, CommandSearch } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import type { Go } from '../../base/navigation.tsx';
import { doctypesAtTheSide, openedDoctypes } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import type { Boot } from '../../data/boot.ts';
import { searchLink } from '../../data/documents.ts';

/** Each doctype costs a request, so only the user's own doctypes are searched. */
const DOCTYPES = 6;
const EACH = 4;

/** Searches the user's doctypes for records by name and title. */
export function recordSearch({ doctypes }: Boot, go: Go): CommandSearch {
  return async (text, signal) => {
    const readable = [...doctypes.values()].filter(
      (one) => one.rights.has('read') && !one.istable && !one.issingle,
    );
    const names = new Set(readable.map((one) => one.name));
    const first = [...openedDoctypes(), ...doctypesAtTheSide(readable)].filter((name) => names.has(name));
    const searched = [...new Set(first)].slice(0, DOCTYPES);
    const found = await Promise.all(searched.map((doctype) => searchIn(doctype, text, signal, go)));
    return found.flat();
  };
}

async function searchIn(
  doctype: string,
  text: string,
  signal: AbortSignal,
  go: Go,
): Promise<readonly Command[]> {
  const results = await searchLink(doctype, text, { signal, pageLength: EACH });
  return results.map(({ value, label, description }) => ({
    id: `record ${doctype} ${value}`,
    label: label ?? value,
    detail: label === undefined ? description : [value, description].filter(Boolean).join(' · '),
    group: t(doctype),
    run: () => go(paths.record(doctype, value)),
  }));
}
