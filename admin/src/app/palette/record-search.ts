import type { Command } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import type { Go } from '../../base/navigation.tsx';
import { hrefOf, paths } from '../../base/paths.ts';
import { type OpenedRecord, recentRecords } from '../../base/recent-records.ts';
import { readMethod } from '../../data/api.ts';
import type { Boot, BootDoctype } from '../../data/boot.ts';
import { iconOfDoctype } from '../../widgets/doctype-icon.ts';
import { wordsOf } from './match.ts';

const MOST = 20;
/** Records last opened, shown before anything is typed. */
const RECENT = 6;

interface Found extends OpenedRecord {
  /** `Label : value ||| Label : value` */
  readonly content: string;
}

/** Searches all doctypes for records by name, title and search fields. */
export async function searchRecords(
  boot: Boot,
  go: Go,
  text: string,
  signal: AbortSignal,
): Promise<readonly Command[]> {
  const method = 'frappe.utils.global_search.search';
  const found = await readMethod<readonly Found[]>(method, { text, limit: MOST }, { signal });
  return found.map((record) => ({
    ...commandOf(boot, go, { ...record, name: String(record.name) }, t('Records')),
    detail: detailOf(boot.doctypes.get(record.doctype), record, text),
    keywords: record.content,
  }));
}

/** Records that were opened last, without the one at `here` and those that the user may no longer read. */
export function recentCommands(boot: Boot, go: Go, here: string): readonly Command[] {
  return recentRecords
    .get()
    .filter(({ doctype }) => boot.doctypes.get(doctype)?.rights.has('read'))
    .map((record) => commandOf(boot, go, record, t('Recent')))
    .filter(({ path }) => path === undefined || hrefOf(path) !== here)
    .slice(0, RECENT);
}

function commandOf(boot: Boot, go: Go, record: OpenedRecord, group: string): Command {
  const { doctype, name, title } = record;
  const known = boot.doctypes.get(doctype);
  const path = paths.record(doctype, name);
  return {
    id: `record ${doctype} ${name}`,
    label: title,
    detail: nameBeside(known, title, name),
    kind: t(doctype),
    icon: known ? iconOfDoctype(known) : 'file',
    group,
    path,
    run: () => go(path),
  };
}

/** The name of a record where its title does not show it; a random name says nothing. */
function nameBeside(known: BootDoctype | undefined, title: string, name: string): string {
  return title === name || known?.hasRandomNames ? '' : name;
}

/** The name, and the value that matches if neither title nor name does. */
function detailOf(known: BootDoctype | undefined, { name, title, content }: Found, text: string): string {
  const words = wordsOf(text);
  const has = (part: string) => words.some((word) => wordsOf(part).join(' ').includes(word));
  const shown = nameBeside(known, title, String(name));
  const value = has(`${title} ${name}`) ? [] : content.split(' ||| ').filter(has).slice(0, 1);
  return [shown, ...value.map((one) => one.replace(' : ', ': '))].filter((part) => part !== '').join(' · ');
}
