import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type ImageTool, loadImageTool } from './image.ts';
import { openFile } from './serve-file.ts';
import type { Storage } from './storage.ts';
import type { StoredFile } from './stored-file.ts';
import type { ThumbnailCache } from './thumbnail-cache.ts';

/**
 * Sides of thumbnails in pixels. They are few, so that all of an image are soon cached; other sizes get the
 * next larger one.
 */
export const THUMBNAIL_SIDES: readonly number[] = [32, 64, 128, 256, 512, 1024, 2048];

/** The size of a thumbnail. A side of 0 follows the other one. */
export interface ThumbnailSize {
  readonly width: number;
  readonly height: number;
  /** `contain`: the whole image within the box; `cover`: fills the box and crops the image. */
  readonly fit: 'contain' | 'cover';
}

/** Waits for its turn to work; resolves to a function that ends the turn. */
export type WaitForTurn = () => Promise<() => void>;

const QUALITY = 80;
const FAILURES_KEPT = 1_000;

/**
 * The size given by `w`, `h` and `fit` of a URL; null without any.
 * @throws ServiceError ValidationError
 */
export function thumbnailSize(query: Readonly<Record<string, string | undefined>>): ThumbnailSize | null {
  const { w = '', h = '', fit = '' } = query;
  if (w === '' && h === '') return null;
  if (fit !== '' && fit !== 'contain' && fit !== 'cover') {
    throw new ServiceError('ValidationError', 'fit must be contain or cover');
  }
  return { width: sideOf('w', w), height: sideOf('h', h), fit: fit || 'contain' };
}

function sideOf(name: string, text: string): number {
  if (text === '') return 0;
  const pixels = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (pixels < 1) throw new ServiceError('ValidationError', `${name} must be a whole number of pixels`);
  return THUMBNAIL_SIDES.find((side) => side >= pixels) ?? THUMBNAIL_SIDES.at(-1) ?? 0;
}

/** The `thumbnail_url` of a File, for the url of an image. */
export function thumbnailUrl(url: string): string {
  return `${url}?w=256&h=256`;
}

/**
 * Makes thumbnails and caches them as long as there is room. Concurrent requests for the same one share the
 * work.
 */
export class Thumbnails {
  readonly #storage: Storage;
  readonly #cache: ThumbnailCache;
  readonly #loadTool: () => Promise<ImageTool | null>;
  readonly #making = new Map<string, Promise<Buffer>>();
  /**
   * Failures by name of the thumbnail. A name belongs to the same bytes for ever, so another attempt would
   * fail too.
   */
  readonly #failed = new Map<string, ServiceError>();

  constructor(storage: Storage, cache: ThumbnailCache, loadTool = loadImageTool) {
    this.#storage = storage;
    this.#cache = cache;
    this.#loadTool = loadTool;
  }

  /**
   * A WebP image; null when images are not supported (`sharp` is not installed). Work begins after `turn`
   * resolves.
   * @throws ServiceError ValidationError for a file that is not a usable image, ServiceUnavailableError
   */
  async get(file: StoredFile, size: ThumbnailSize, turn: WaitForTurn): Promise<Buffer | null> {
    if (file.imageType === '') throw new ServiceError('ValidationError', 'Only images have thumbnails');
    if (file.bytes > LIMITS.imageBytes) {
      throw new ServiceError(
        'ValidationError',
        `Images of more than ${LIMITS.imageBytes} bytes have no thumbnails`,
      );
    }
    const tool = await this.#loadTool();
    if (!tool) return null;
    const name = thumbnailName(file, size);
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
    turn: WaitForTurn,
  ): Promise<Buffer> {
    // Reads the image only when its turn comes, because it may be large.
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

/** The thumbnail as a file for replies. */
export function asStored(file: StoredFile, size: ThumbnailSize, content: Buffer): StoredFile {
  const stem = file.fileName.replace(/\.[^.]{1,10}$/, '');
  return {
    ...file,
    fileName: `${stem}.webp`,
    imageType: 'image/webp',
    sha256: `${file.sha256}-${sizeText(size)}`,
    bytes: content.length,
  };
}

// By url and not by bytes: otherwise timing would show whether another file has the same bytes.
function thumbnailName({ fileUrl, createdAt, sha256 }: StoredFile, size: ThumbnailSize): string {
  const digest = createHash('sha256').update([fileUrl, createdAt, sha256].join('\n')).digest('hex');
  return `${digest}-${sizeText(size)}.webp`;
}

function sizeText({ width, height, fit }: ThumbnailSize): string {
  return `${width}x${height}-${fit}`;
}
