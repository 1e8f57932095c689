import { createHash, createHmac, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { derivedKey } from '../../kernel/derived-key.ts';
import { DamagedBackup, nullIfDamaged } from './damaged-backup.ts';
import { packIds, unpackIds } from './file-index.ts';
import { type Manifest, parseManifest, partsOf, startOf } from './manifest.ts';
import { decodeObject, encodeObject } from './object-format.ts';
import { checkMark, type OpeningRepository } from './repository-mark.ts';
import { ObjectKept, type Target } from './target.ts';

/** The most plain bytes of a part. */
const PART_BYTES = 4 * 1024 * 1024;
/** An object that no backup knows is put again after this time, and pruned after twice as long; milliseconds. */
export const FRESH = 12 * 60 * 60 * 1000;
/** Where the objects are. */
export const PLACES = { data: 'data/', files: 'files/', backups: 'backups/', log: 'log/' } as const;

/** What keeps parts of databases. */
export type PartStore = Pick<Repository, 'putPart' | 'getPart'>;

/** A piece of the continuous log of a database. */
export interface LogSegment {
  readonly sequence: number;
  /** @throws DamagedBackup */
  read(): Promise<Buffer>;
}

/**
 * The backups of one site in a place, in format 1 (docs/decisions/0180). Objects are written and never changed.
 * One process at a time writes backups or prunes; others may read, and write the log.
 */
export class Repository {
  readonly target: Target;
  /** The site's id. */
  readonly site: string;
  readonly #key: Buffer | null;
  readonly #now: () => number;
  readonly #newest: Manifest | null;
  // What the newest backup has, and what was put since. Other objects may be leftovers that are about to go.
  readonly #parts: Set<string>;
  readonly #files = new Set<string>();
  #knownSince: number;

  private constructor(
    target: Target,
    site: string,
    { key, now }: OpeningRepository,
    newest: Manifest | null,
  ) {
    this.target = target;
    this.site = site;
    this.#key = key;
    this.#now = now;
    this.#newest = newest;
    this.#parts = new Set(newest ? partsOf(newest) : []);
    this.#knownSince = now();
  }

  /** @throws ServiceError ValidationError for another site's place, and for a wrong or missing key */
  static async open(target: Target, options: OpeningRepository): Promise<Repository> {
    const site = await checkMark(target, options);
    const reading = new Repository(target, site, options, null);
    const name = (await reading.names()).at(-1);
    // A damaged one only means that its parts are stored again.
    const newest = name === undefined ? null : await reading.manifest(name).catch(nullIfDamaged);
    return new Repository(target, site, options, newest);
  }

  /**
   * Stores one part of a database, at most 4 MiB; resolves to its id. Parts of the newest backup are not stored
   * again.
   */
  async putPart(plain: Buffer): Promise<string> {
    if (plain.length > PART_BYTES) throw new RangeError('a part of a backup is at most 4 MiB');
    const id = this.#idOf('part', hash('sha256', plain));
    this.#forgetOld();
    if (this.#parts.has(id)) return id;
    await this.#put(inFan(PLACES.data, id), plain);
    this.#parts.add(id);
    return id;
  }

  /** @throws DamagedBackup */
  async getPart(id: string): Promise<Buffer> {
    const name = inFan(PLACES.data, id);
    const plain = await this.#get(name);
    if (this.#idOf('part', hash('sha256', plain)) !== id)
      throw new DamagedBackup(name, 'it holds other bytes');
    return plain;
  }

  /** Reads the list of files of the newest backup, for `hasFile`. */
  async loadFiles(): Promise<void> {
    if (this.#newest) await this.filesOf(this.#newest, this.#files);
  }

  /** True when the newest backup has it, or it was put since. */
  hasFile(sha256: string): boolean {
    this.#forgetOld();
    return this.#files.has(this.fileId(sha256));
  }

  /**
   * Copies a stored file into the place, and compares its digest on the way.
   * @throws DamagedBackup when the bytes have another digest
   */
  async putFile(sha256: string, content: Readable | Buffer, bytes: number): Promise<void> {
    const id = this.fileId(sha256);
    const name = inFan(PLACES.files, id);
    // An interrupted backup has put it.
    const known = await this.target.stat(name);
    if (known && known.modifiedAt > this.#now() - FRESH) {
      if (!Buffer.isBuffer(content)) content.destroy();
    } else {
      const source = Buffer.isBuffer(content) ? [content] : content;
      const stored = encodeObject(name, compared(source, sha256, name), this.#key);
      await this.target.put(name, Readable.from(stored), bytes).catch(async (error: unknown) => {
        if (!(error instanceof ObjectKept)) throw error;
        await this.checkFile(id);
      });
    }
    this.#files.add(id);
  }

  /** Null when the place does not have it. The stream fails with DamagedBackup when its bytes are others. */
  async openFile(sha256: string): Promise<Readable | null> {
    const name = inFan(PLACES.files, this.fileId(sha256));
    const stored = await this.target.get(name);
    if (!stored) return null;
    const content = Readable.from(compared(decodeObject(name, stored, this.#key), sha256, name));
    // A generator that was asked for nothing closes nothing.
    return content.once('close', () => void stored.destroy());
  }

  /** Reads a file of a backup by its id. @throws DamagedBackup when it is missing, or has other bytes */
  async checkFile(id: string): Promise<void> {
    const name = inFan(PLACES.files, id);
    const stored = await this.target.get(name);
    if (!stored) throw new DamagedBackup(name, 'it is missing');
    const digest = createHash('sha256');
    for await (const piece of decodeObject(name, stored, this.#key)) digest.update(piece);
    if (this.fileId(digest.digest('hex')) !== id) throw new DamagedBackup(name, 'it holds other bytes');
  }

  /** Stores the list of files of a backup; resolves to its parts, for the manifest. */
  async putFileIndex(sha256s: Iterable<string>): Promise<readonly string[]> {
    const ids = new Set<string>();
    for (const sha256 of sha256s) ids.add(this.fileId(sha256));
    const parts: string[] = [];
    for (const part of packIds(ids)) parts.push(await this.putPart(part));
    return parts;
  }

  /** The ids of a backup's files, added to `ids`. */
  async filesOf({ files }: Manifest, ids = new Set<string>()): Promise<ReadonlySet<string>> {
    for (const part of files.index) for (const id of unpackIds(await this.getPart(part))) ids.add(id);
    return ids;
  }

  async putLog(epoch: string, sequence: number, plain: Buffer): Promise<void> {
    await this.#put(logName(epoch, sequence), plain);
  }

  /** The segments of an epoch behind a sequence, in order. */
  async *logs(epoch: string, after: number): AsyncGenerator<LogSegment> {
    for await (const { name } of this.target.list(`${PLACES.log}${epoch}/`)) {
      const sequence = Number(name.slice(name.lastIndexOf('/') + 1));
      if (sequence > after) yield { sequence, read: () => this.#get(name) };
    }
  }

  /** The names of all backups, the oldest first. */
  async names(): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of this.target.list(PLACES.backups)) {
      const backup = name.slice(PLACES.backups.length);
      if (startOf(backup) !== null) names.push(backup);
    }
    return names;
  }

  /** @throws DamagedBackup; Error when a newer version made it */
  async manifest(name: string): Promise<Manifest> {
    const object = PLACES.backups + name;
    return parseManifest((await this.#get(object)).toString('utf8'), object);
  }

  /** All backups, the oldest first. @throws as `manifest` */
  async manifests(): Promise<readonly Manifest[]> {
    const manifests: Manifest[] = [];
    for (const name of await this.names()) manifests.push(await this.manifest(name));
    return manifests;
  }

  /** The last step of a backup: from now on it exists. */
  async putManifest(manifest: Manifest): Promise<void> {
    await this.#put(PLACES.backups + manifest.name, Buffer.from(JSON.stringify(manifest)));
  }

  async #put(name: string, plain: Buffer): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of encodeObject(name, [plain], this.#key)) pieces.push(piece);
    await this.target.put(name, Buffer.concat(pieces)).catch(async (error: unknown) => {
      // A former attempt has put it, or a backup that nobody has any more.
      if (!(error instanceof ObjectKept) || !(await this.#get(name)).equals(plain)) throw error;
    });
  }

  async #get(name: string): Promise<Buffer> {
    const stored = await this.target.get(name);
    if (!stored) throw new DamagedBackup(name, 'it is missing');
    const pieces: Buffer[] = [];
    for await (const piece of decodeObject(name, stored, this.#key)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  // Pruning may have deleted since what a process once knew.
  #forgetOld(): void {
    if (this.#now() - this.#knownSince < FRESH) return;
    this.#knownSince = this.#now();
    this.#parts.clear();
    this.#files.clear();
  }

  /** The id of a stored file in this place. */
  fileId(sha256: string): string {
    return this.#idOf('file', sha256);
  }

  // With a key the name says nothing about the content, not even to somebody who knows the content.
  #idOf(kind: 'part' | 'file', sha256: string): string {
    if (!this.#key) return sha256;
    const key = derivedKey(this.#key, 'chancery backup ids');
    return createHmac('sha256', key).update(`${kind} ${sha256}`).digest('hex');
  }
}

function inFan(place: string, id: string): string {
  return `${place}${id.slice(0, 2)}/${id}`;
}

/** Sequences have the same length, so that names are in their order. */
function logName(epoch: string, sequence: number): string {
  return `${PLACES.log}${epoch}/${String(sequence).padStart(12, '0')}`;
}

async function* compared(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  sha256: string,
  name: string,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const piece of source) {
    digest.update(piece);
    yield piece;
  }
  const found = digest.digest('hex');
  if (found !== sha256) throw new DamagedBackup(name, `the file has the digest ${found}, and not ${sha256}`);
}
