import type sharp from 'sharp';
import type { Sharp } from 'sharp';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { sniffImage } from './content-type.ts';

/** How an image is to be made smaller. Pixels; a side that is left out follows the other one. */
export interface Resizing {
  readonly width?: number;
  readonly height?: number;
  /** `inside` keeps the whole image within the box, `cover` fills the box and cuts what sticks out. */
  readonly fit: 'inside' | 'cover';
  /** 1 to 100. */
  readonly quality: number;
  /** What is made of it; `same`: what it is. */
  readonly format: 'same' | 'jpeg' | 'png' | 'webp';
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
  /** More than one moves. */
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
 * What can be done with images; made by `loadImageTool`. Takes PNG, JPEG, GIF, WebP and AVIF, known by their first bytes.
 * @throws ServiceError ValidationError for anything else, for what is damaged, has more than `LIMITS.imageBytes` or
 *   `LIMITS.imagePixels`, or takes longer than `LIMITS.imageTimeout`; ServiceUnavailableError when too many wait
 */
export interface ImageTool {
  /** As it is shown: turned the way the camera was held. Reads the header alone. */
  measure(content: Buffer): Promise<ImageSize>;
  /** Never larger than it was, upright, of a moving image the first frame, and without metadata. */
  resize(content: Buffer, resizing: Resizing): Promise<MadeImage>;
}

let loading: Promise<ImageTool | null> | null = null;

/** Null where the optional package `sharp` is not installed. Loaded when it is needed first: it is large. */
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
  // Of what it can read, only what is let in here, whatever the bytes make it believe.
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: READERS });
  // One thread each, and nothing kept: the server has other things to do.
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
      throw new ServiceError('ValidationError', `An image to work on has at most ${LIMITS.imageBytes} bytes`);
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
  if (!format) throw new ServiceError('ValidationError', 'This is not an image that can be worked on');
  return format;
}

let running = 0;
const waiting: (() => void)[] = [];

// Each takes a core and up to some hundred megabytes, however small the request was.
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= LIMITS.imagesAtOnce) {
    if (waiting.length >= LIMITS.waitingImages) {
      throw new ServiceError('ServiceUnavailableError', 'Too many images are being worked on', {
        headers: { 'Retry-After': '1' },
      });
    }
    // Who leaves hands the place over, so it is never counted twice.
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

// Whatever the library says, it says it of bytes that somebody sent.
function refusalOf(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (/pixel limit/i.test(error.message)) return tooManyPixels();
  const isSlow = /timeout/i.test(error.message);
  return new ServiceError(
    'ValidationError',
    isSlow ? 'The image takes too long to work on' : 'The image is damaged',
  );
}

function tooManyPixels(): ServiceError {
  return new ServiceError('ValidationError', `An image to work on has at most ${LIMITS.imagePixels} pixels`);
}
