import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';

const NAME = /^[0-9a-f]{64}-\d{1,4}x\d{1,4}-(?:contain|cover)\.webp$/;

interface Entry {
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
}

/**
 * A cache of thumbnails in a directory of this node, readable by its system user only. It holds at most
 * `maxBytes`; the oldest go first. None is kept for longer than `LIMITS.thumbnailAge`, so that deleted images
 * do not linger. Failures are only logged, because thumbnails can be made again.
 */
export class ThumbnailCache {
  readonly #root: string;
  readonly #maxBytes: number;
  readonly #observe: Observer;
  /** In the order of creation. */
  #entries: Promise<Map<string, Entry>> | null = null;
  #bytes = 0;

  constructor(root: string, maxBytes: number, observe: Observer) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#observe = observe;
  }

  async get(name: string): Promise<Buffer | null> {
    const entries = await this.#load();
    const entry = entries.get(name);
    if (!entry || isOld(entry)) return null;
    try {
      const content = await readFile(join(this.#root, name));
      // A crash may have truncated the file.
      if (content.length === entry.bytes && isWholeWebp(content)) return content;
    } catch {
      // Somebody emptied the directory.
    }
    return null;
  }

  async put(name: string, content: Buffer): Promise<void> {
    if (content.length > this.#maxBytes) return;
    try {
      const entries = await this.#load();
      const temporary = join(this.#root, `${randomBytes(16).toString('hex')}.part`);
      await mkdir(this.#root, { recursive: true, mode: 0o700 });
      try {
        await writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
        await rename(temporary, join(this.#root, name));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      this.#forget(entries, name);
      entries.set(name, { bytes: content.length, madeAt: Date.now() });
      this.#bytes += content.length;
      await this.#evict(entries);
    } catch (error) {
      this.#observe({ kind: 'unexpected', where: 'caching a thumbnail', error });
    }
  }

  /** Deletes expired thumbnails, which must not depend on further calls of `get` and `put`. */
  async prune(): Promise<void> {
    await this.#clear(await this.#load());
  }

  async #clear(entries: Map<string, Entry>): Promise<void> {
    await this.#evict(entries).catch((error: unknown) =>
      this.#observe({ kind: 'unexpected', where: 'clearing thumbnails', error }),
    );
  }

  async #evict(entries: Map<string, Entry>): Promise<void> {
    for (const [name, entry] of entries) {
      if (this.#bytes <= this.#maxBytes && !isOld(entry)) return;
      this.#forget(entries, name);
      await rm(join(this.#root, name), { force: true });
    }
  }

  #forget(entries: Map<string, Entry>, name: string): void {
    this.#bytes -= entries.get(name)?.bytes ?? 0;
    entries.delete(name);
  }

  #load(): Promise<Map<string, Entry>> {
    this.#entries ??= this.#read();
    return this.#entries;
  }

  /** Reads the thumbnails of an earlier process. */
  async #read(): Promise<Map<string, Entry>> {
    const found: [string, Entry][] = [];
    for (const name of await readdir(this.#root).catch(() => [])) {
      const path = join(this.#root, name);
      const about = await stat(path).catch(() => null);
      if (!about) continue;
      if (NAME.test(name)) found.push([name, { bytes: about.size, madeAt: about.mtimeMs }]);
      else if (name.endsWith('.part') && isOld({ madeAt: about.mtimeMs })) await rm(path, { force: true });
    }
    found.sort(([, one], [, other]) => one.madeAt - other.madeAt);
    this.#bytes = found.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    const entries = new Map(found);
    await this.#clear(entries);
    return entries;
  }
}

function isOld({ madeAt }: Pick<Entry, 'madeAt'>): boolean {
  return madeAt < Date.now() - LIMITS.thumbnailAge;
}

function isWholeWebp(content: Buffer): boolean {
  return content.length > 12 && content.readUInt32LE(4) + 8 === content.length;
}
