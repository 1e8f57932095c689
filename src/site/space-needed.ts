import { dirname } from 'node:path';
import type { Manifest } from '../backup/store/manifest.ts';
import type { Config } from '../config/config.ts';
import { diskSpace, sqliteFile } from './data-directory.ts';

/** Bytes that will be written to a directory, which need not exist. */
export interface SpaceNeed {
  readonly path: string;
  readonly bytes: number;
}

/** What a disk lacks, in words; null when there is enough, and where the system does not report it. */
export function lackOfSpace(needs: readonly SpaceNeed[]): string | null {
  const known = needs.flatMap((need) => {
    const space = diskSpace(need.path);
    return space ? [{ ...need, ...space }] : [];
  });
  // Directories may share a disk.
  for (const [first, ...others] of Map.groupBy(known, ({ disk }) => disk).values()) {
    if (!first) continue;
    const needed = others.reduce((sum, { bytes }) => sum + bytes, first.bytes);
    if (first.free >= needed) continue;
    const paths = [first, ...others].map(({ path }) => path).join(' and ');
    return `${megabytes(needed)} are needed in ${paths}, and ${megabytes(first.free)} are free`;
  }
  return null;
}

/** What the database of a backup needs. A server of PostgreSQL does not tell how much space its disk has. */
export function databaseNeeds(config: Config, { database }: Manifest, times = 1): SpaceNeed[] {
  const file = sqliteFile(config);
  if (file === null || !('pages' in database)) return [];
  return [{ path: dirname(file), bytes: database.pages * database.pageSize * times }];
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
