import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { CopiedFile } from '../engine.ts';
import type { PostgresTable } from '../store/manifest.ts';
import type { PartStore } from '../store/repository.ts';

const TABLE = '_stored_content';
/** As COPY writes it. */
const NULL = '\\N';

/**
 * The files that a copy lists, without those in quarantine. They are read from the parts that were just stored, so
 * that no transaction stays open while files are copied.
 */
export async function* copiedFiles(
  tables: readonly PostgresTable[],
  store: PartStore,
): AsyncGenerator<CopiedFile> {
  const table = tables.find(({ name }) => name === TABLE);
  if (!table) return;
  const [key, sha256, bytes, swept] = ['storage_key', 'sha256', 'bytes', 'swept_at'].map((column) =>
    table.columns.indexOf(column),
  );
  const content = Readable.from(table.parts, { highWaterMark: 1 }).map((id: string) => store.getPart(id));
  for await (const line of createInterface({ input: content })) {
    // Keys and digests have no character that COPY writes in another way.
    const values = line.split('\t');
    const of = (place = -1) => values[place] ?? '';
    if (of(swept) === NULL) yield { storageKey: of(key), sha256: of(sha256), bytes: Number(of(bytes)) };
  }
}
