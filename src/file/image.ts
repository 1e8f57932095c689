import type sharp from 'sharp';
import type { Sharp } from 'sharp';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { sniffImage } from './content-type.ts';

/** How to resize an image. Pixels; an omitted side follows the other one. */
export interface Resizing {
  readonly width?: number;
  readonly height?: number;
  /** `inside` keeps the whole image within the box, `cover` fills the box and crops the image. */
  readonly fit: 'inside' | 'cover';
  /** 1 to 100. */
  readonly quality: number;
  /** The format of the result; `same`: the format of the image. */
  readonly format: 'same' | 'jpeg' | 'png' | 'webp';
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
  /** More than one: an animation. */
  readonly frames: number;
}

export interface MadeImage {
  readonly content: Buffer;
  /** `image/webp` */
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Operations on images; made by `loadImageTool`. Accepts PNG, JPEG, GIF, WebP and AVIF, recognised by their
 * first bytes.
 * @throws ServiceError ValidationError for other or damaged files, above `LIMITS.imageBytes` or
 * `LIMITS.imagePixels`, or slower than `LIMITS.imageTimeout`; ServiceUnavailableError when too many wait
 */
export interface ImageTool {
  /** The size as displayed, after the camera's rotation. Reads only the header. */
  measure(content: Buffer): Promise<ImageSize>;
  /** Never enlarges; applies the rotation, takes the first frame of an animation, and drops metadata. */
  resize(content: Buffer, resizing: Resizing): Promise<MadeImage>;
}

let loading: Promise<ImageTool | null> | null = null;

/** Null when the optional package `sharp` is not installed. Loaded on first use, because it is large. */
export function loadImageTool(): Promise<ImageTool | null> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ImageTool | null> {
  let library: typeof sharp;
  try {
    library = (await import('sharp')).default;
  } catch {
    return null;
  }
  // Blocks all loaders but the listed ones, whatever the bytes claim to be.
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: READERS });
  // One thread per image and no cache: the server has other work.
  library.concurrency(1);
  library.cache(false);
  return toolOf(library);
}

const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`);
const FORMATS = new Map([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['image/avif', 'avif'],
] as const);

function toolOf(library: typeof sharp): ImageTool {
  function open(content: Buffer): Sharp {
    if (content.length > LIMITS.imageBytes) {
      throw new ServiceError(
        'ValidationError',
        `Only images of at most ${LIMITS.imageBytes} bytes can be processed`,
      );
    }
    return library(content, { limitInputPixels: LIMITS.imagePixels, failOn: 'error' });
  }

  return {
    async measure(content) {
      formatOf(content);
      const { width, height, orientation = 1, pages = 1 } = await inTurn(() => open(content).metadata());
      if (width * height > LIMITS.imagePixels) throw tooManyPixels();
      return orientation > 4
        ? { width: height, height: width, frames: pages }
        : { width, height, frames: pages };
    },
    async resize(content, { width, height, fit, quality, format }) {
      const made = format === 'same' ? formatOf(content) : format;
      formatOf(content);
      const { data, info } = await inTurn(() =>
        open(content)
          .timeout({ seconds: LIMITS.imageTimeout / 1000 })
          .autoOrient()
          .resize({
            ...(width && { width }),
            ...(height && { height }),
            fit,
            withoutEnlargement: true,
          })
          .toFormat(made, made === 'png' || made === 'gif' ? {} : { quality })
          .toBuffer({ resolveWithObject: true }),
      );
      return { content: data, type: `image/${made}`, width: info.width, height: info.height };
    },
  };
}

function formatOf(content: Buffer): 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' {
  const type = sniffImage(content.subarray(0, 64)) ?? '';
  const format = FORMATS.get(type as 'image/jpeg');
  if (!format) throw new ServiceError('ValidationError', 'This is not an image that can be processed');
  return format;
}

let running = 0;
const waiting: (() => void)[] = [];

// Each takes a core and up to some hundred megabytes, however small the request was.
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= LIMITS.imagesAtOnce) {
    if (waiting.length >= LIMITS.waitingImages) {
      throw new ServiceError('ServiceUnavailableError', 'Too many images are being processed', {
        headers: { 'Retry-After': '1' },
      });
    }
    // The finished task passes its place on, so it is never counted twice.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

// Errors of the library are about bytes that a client sent.
function refusalOf(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (/pixel limit/i.test(error.message)) return tooManyPixels();
  const isSlow = /timeout/i.test(error.message);
  return new ServiceError(
    'ValidationError',
    isSlow ? 'The image takes too long to process' : 'The image is damaged',
  );
}

function tooManyPixels(): ServiceError {
  return new ServiceError(
    'ValidationError',
    `Only images of at most ${LIMITS.imagePixels} pixels can be processed`,
  );
}
