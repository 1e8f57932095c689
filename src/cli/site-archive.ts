import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { isRecord } from '../kernel/value.ts';
import { StartError } from '../site/start-error.ts';

/** A file of an archive. */
export interface ArchivePart {
  /** Its path within the archive. */
  readonly path: string;
  readonly sha256: string;
  readonly lines: number;
  readonly bytes: number;
}

/** `manifest.json`, written last: an archive without it is not complete. */
export interface SiteManifest {
  readonly format: 1;
  /** Of Chancery. */
  readonly version: string;
  /** UTC. */
  readonly made: string;
  /** Times are in this zone. */
  readonly timeZone: string;
  readonly definitions: ArchivePart;
  /** By doctype. */
  readonly documents: Readonly<Record<string, ArchivePart>>;
  readonly files: ArchivePart;
  /** The last number of each series. */
  readonly series: Readonly<Record<string, number>>;
  /** True when `secrets` holds the secrets. */
  readonly hasSecrets: boolean;
}

export const MANIFEST = 'manifest.json';
export const SECRETS = 'secrets';

/** An archive holds the data of all users: it is readable by its owner alone. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** The path of the bytes with this digest. */
export function bytesPath(folder: string, sha256: string): string {
  return join(folder, 'files', sha256.slice(0, 2), sha256);
}

/** Writes NDJSON, a line at a time. */
export class PartWriter {
  readonly #path: string;
  readonly #stream: ReturnType<typeof createWriteStream>;
  readonly #hash: Hash = createHash('sha256');
  #lines = 0;
  #bytes = 0;

  constructor(folder: string, path: string) {
    this.#path = path;
    this.#stream = createWriteStream(join(folder, path), { flags: 'wx', mode: PRIVATE_FILE });
    this.#stream.on('error', () => {});
  }

  async write(values: readonly object[]): Promise<void> {
    if (values.length === 0) return;
    const text = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    this.#hash.update(text);
    this.#lines += values.length;
    this.#bytes += text.length;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  async end(): Promise<ArchivePart> {
    this.#stream.end();
    await finished(this.#stream);
    return { path: this.#path, sha256: this.#hash.digest('hex'), lines: this.#lines, bytes: this.#bytes };
  }
}

/** @throws StartError when the folder has no archive, or one of another format */
export function readManifest(folder: string): SiteManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'));
  } catch (error) {
    throw new StartError(
      `${folder} is no complete export of a site: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (!isRecord(manifest) || manifest['format'] !== 1) {
    throw new StartError(`${folder} has an export of a format that this version does not know`);
  }
  return manifest as unknown as SiteManifest;
}

/** @throws StartError when a part is damaged */
export async function verifyPart(folder: string, { path, sha256 }: ArchivePart): Promise<void> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(join(folder, path), { highWaterMark: 1024 * 1024 }))
      digest.update(chunk);
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (digest.digest('hex') !== sha256) throw new StartError(`${path} is not as it was exported`);
}
