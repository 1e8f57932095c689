import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type ImageTool, loadImageTool } from './image.ts';
import { openFile } from './serve-file.ts';
import type { Storage } from './storage.ts';
import type { StoredFile } from './stored-file.ts';
import type { ThumbnailCache } from './thumbnail-cache.ts';

/** Sides of thumbnails, pixels: so few that all of an image's have soon been made. Others become the next larger one. */
export const THUMBNAIL_SIDES: readonly number[] = [32, 64, 128, 256, 512, 1024, 2048];

/** Which thumbnail of an image. A side of 0 follows the other one. */
export interface ThumbnailSize {
  readonly width: number;
  readonly height: number;
  /** `contain`: the whole image within the box; `cover`: the box full, and what sticks out is cut. */
  readonly fit: 'contain' | 'cover';
}

/** Lets work begin when it is its turn; resolves to what ends the turn. */
export type Turn = () => Promise<() => void>;

const QUALITY = 80;
const FAILURES_KEPT = 1_000;

/**
 * What `w`, `h` and `fit` of an address ask for; null when they ask for nothing.
 * @throws ServiceError ValidationError
 */
export function thumbnailSize(query: Readonly<Record<string, string | undefined>>): ThumbnailSize | null {
  const { w = '', h = '', fit = '' } = query;
  if (w === '' && h === '') return null;
  if (fit !== '' && fit !== 'contain' && fit !== 'cover') {
    throw new ServiceError('ValidationError', 'fit is contain or cover');
  }
  return { width: sideOf('w', w), height: sideOf('h', h), fit: fit || 'contain' };
}

function sideOf(name: string, text: string): number {
  if (text === '') return 0;
  const pixels = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (pixels < 1) throw new ServiceError('ValidationError', `${name} must be a whole number of pixels`);
  return THUMBNAIL_SIDES.find((side) => side >= pixels) ?? THUMBNAIL_SIDES.at(-1) ?? 0;
}

/** What `thumbnail_url` of a File says, for the url of an image. */
export function thumbnailUrl(url: string): string {
  return `${url}?w=256&h=256`;
}

/** Makes thumbnails: each once at a time, whoever asks for it, and keeps them as long as there is room. */
export class Thumbnails {
  readonly #storage: Storage;
  readonly #cache: ThumbnailCache;
  readonly #loadTool: () => Promise<ImageTool | null>;
  readonly #making = new Map<string, Promise<Buffer>>();
  /** By their names, which no other bytes will have: the next attempt would end the same way. */
  readonly #failed = new Map<string, ServiceError>();

  constructor(storage: Storage, cache: ThumbnailCache, loadTool = loadImageTool) {
    this.#storage = storage;
    this.#cache = cache;
    this.#loadTool = loadTool;
  }

  /**
   * A WebP image; null where images cannot be worked on (`sharp` is not installed). `turn` is asked before work begins.
   * @throws ServiceError ValidationError for what is no image or none that can be worked on, ServiceUnavailableError
   */
  async get(file: StoredFile, size: ThumbnailSize, turn: Turn): Promise<Buffer | null> {
    if (file.imageType === '') throw new ServiceError('ValidationError', 'Only images have thumbnails');
    if (file.bytes > LIMITS.imageBytes) {
      throw new ServiceError('ValidationError', `Images of more than ${LIMITS.imageBytes} bytes have none`);
    }
    const tool = await this.#loadTool();
    if (!tool) return null;
    const name = nameOf(file, size);
    const failure = this.#failed.get(name);
    if (failure) throw failure;
    const kept = await this.#cache.get(name);
    if (kept) return kept;
    let making = this.#making.get(name);
    if (!making) {
      making = this.#make(tool, name, file, size, turn).finally(() => this.#making.delete(name));
      this.#making.set(name, making);
    }
    return making;
  }

  async #make(
    tool: ImageTool,
    name: string,
    file: StoredFile,
    { width, height, fit }: ThumbnailSize,
    turn: Turn,
  ): Promise<Buffer> {
    // Nothing of it is in memory before its turn: it may be large.
    const end = await turn();
    try {
      const { body } = await openFile(this.#storage, file);
      const { content } = await tool.resize(Buffer.isBuffer(body) ? body : await buffer(body), {
        ...(width > 0 && { width }),
        ...(height > 0 && { height }),
        fit: fit === 'cover' ? 'cover' : 'inside',
        quality: QUALITY,
        format: 'webp',
      });
      await this.#cache.put(name, content);
      return content;
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'ValidationError') this.#remember(name, error);
      throw error;
    } finally {
      end();
    }
  }

  #remember(name: string, error: ServiceError): void {
    const [oldest] = this.#failed.keys();
    if (oldest !== undefined && this.#failed.size >= FAILURES_KEPT) this.#failed.delete(oldest);
    this.#failed.set(name, error);
  }
}

/** The thumbnail as a file that replies are made of. */
export function asStored(file: StoredFile, size: ThumbnailSize, content: Buffer): StoredFile {
  const stem = file.fileName.replace(/\.[^.]{1,10}$/, '');
  return {
    ...file,
    fileName: `${stem}.webp`,
    imageType: 'image/webp',
    sha256: `${file.sha256}-${textOf(size)}`,
    bytes: content.length,
  };
}

// Of the url, and not of the bytes: nobody can tell whether another file with the same bytes was looked at.
function nameOf({ fileUrl, createdAt, sha256 }: StoredFile, size: ThumbnailSize): string {
  const digest = createHash('sha256').update([fileUrl, createdAt, sha256].join('\n')).digest('hex');
  return `${digest}-${textOf(size)}.webp`;
}

function textOf({ width, height, fit }: ThumbnailSize): string {
  return `${width}x${height}-${fit}`;
}
