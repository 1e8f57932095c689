import type { DataLoad } from '../load/data-load.ts';
import { readProblems } from '../load/problems.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import type { Invocation } from './command.ts';

/** Problems that a command prints; the log of the load has them all. */
const SHOWN = 20;

/** Prints what became of a load. Resolves to 1 when records failed, or when it has not ended. */
export async function reportLoad(
  site: OpenSite,
  load: DataLoad,
  print: Invocation['print'],
): Promise<number> {
  const { name, status, counts, brokenLinks } = load;
  const { inserted, updated, unchanged, skipped, failed } = counts;
  const parts = Object.entries({ inserted, updated, unchanged, skipped, failed }).filter(
    ([, count]) => count > 0,
  );
  const what = status === 'Checked' && !load.error ? `${name}, only checked` : name;
  print(`${what}: ${parts.map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'no records'}.`);
  if (brokenLinks > 0) print(`${brokenLinks} links name documents that are not here.`);
  await printProblems(site, load, print);
  if (load.error) print(`${load.error}.`);
  if (status === 'Done' || status === 'Checked' || status === 'Undone') return failed === 0 ? 0 : 1;
  print('It has not ended. The same command goes on with it.');
  return 1;
}

/** Prints the first problems of a load. */
export async function printProblems(
  site: OpenSite,
  { name, kind }: Pick<DataLoad, 'name' | 'kind'>,
  print: Invocation['print'],
): Promise<void> {
  const problems = await readProblems(site.database.reader, name, { start: 0, limit: SHOWN + 1 });
  for (const { doctype, key, row, field, value, reason } of problems.slice(0, SHOWN)) {
    const where = row > 0 ? `${kind === 'Import' ? 'Row' : 'Line'} ${row}` : '';
    const what = [where, `${doctype} ${key}`.trim(), field, value === '' ? '' : JSON.stringify(value)];
    print(`${what.filter((part) => part !== '').join(', ')}: ${reason}`);
  }
  if (problems.length > SHOWN) print(`The log of the Data Load ${name} lists the others.`);
}
