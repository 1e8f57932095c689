import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SourceFile } from '../load/record.ts';
import { StartError } from '../site/start-error.ts';

/** Bytes of the beginning and of the end that make the fingerprint. */
const EDGE = 64 * 1024;
/** Bytes of one read. */
const CHUNK = 1024 * 1024;

/** A file of this machine as a source. @throws StartError when it cannot be read */
export async function sourceFile(path: string): Promise<SourceFile> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      const first = await handle.read({ buffer: Buffer.alloc(EDGE), position: 0 });
      const last = await handle.read({ buffer: Buffer.alloc(EDGE), position: Math.max(0, size - EDGE) });
      const edges = Buffer.concat([
        first.buffer.subarray(0, first.bytesRead),
        last.buffer.subarray(0, last.bytesRead),
      ]);
      return {
        name: basename(path),
        size,
        fingerprint: hash('sha256', edges).slice(0, 32),
        open: () => createReadStream(path, { highWaterMark: CHUNK }),
      };
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
