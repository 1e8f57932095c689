import type { RowHandler } from '../dump/source.ts';
import type { SourceDatabase } from '../input/read-database.ts';
import type { Scratch } from '../input/scratch.ts';
import { quoted } from '../input/sqlite-file.ts';
import type { Source } from '../plan/make-plan.ts';
import { doctypeOf } from '../plan/read-schema.ts';

/** Tables besides those of doctypes. */
const OTHERS: ReadonlySet<string> = new Set(['__Auth', 'tabSingles', 'tabSeries']);

/** Copies the tables that come into the scratch database, with the indexes that the import reads by. */
export async function stage(database: SourceDatabase, source: Source, scratch: Scratch): Promise<void> {
  scratch.begin();
  const staged = new Set<string>();
  await database.read({
    table(table): RowHandler | null {
      const doctype = doctypeOf(table.name);
      const comes = doctype === null ? OTHERS.has(table.name) : source.comes(doctype);
      if (!comes || staged.has(table.name)) return null;
      staged.add(table.name);
      return scratch.add(table);
    },
  });
  scratch.staged();
  for (const { name, columns } of scratch.tables.values()) {
    const has = (column: string) => columns.some((one) => one.name === column);
    const index = (...keys: string[]) =>
      scratch.run(
        `create index ${quoted(`ix ${name} ${keys[0]}`)} on ${quoted(name)} (${keys.map(quoted).join(', ')})`,
      );
    const doctype = doctypeOf(name);
    if (doctype !== null && has('parent') && source.definitions.registry.find(doctype)?.istable) {
      index('parenttype', 'parent', 'parentfield', 'idx');
    }
    if (name === '__Auth') index('doctype', 'name', 'fieldname');
    if (name === 'tabSingles') index('doctype', 'field');
  }
}
