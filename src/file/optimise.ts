import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { sniffImage } from './content-type.ts';
import { type ImageSize, loadImageTool } from './image.ts';
import type { UnclaimedContent } from './stored-file.ts';

/** Default sides of a result in pixels, and the shortest allowed. */
const USUAL_WIDTH = 1024;
const USUAL_HEIGHT = 768;
const LEAST_SIDE = 200;
const MOST_SIDE = 10_000;
/** The share of each side of the image, so that the result is really smaller. */
const PART = 0.8;
const QUALITY = 85;

/** The options of an upload. */
export interface Wanted {
  readonly width: number;
  readonly height: number;
}

/**
 * What the fields `optimize`, `max_width` and `max_height` ask for; null: nothing.
 * @throws ServiceError ValidationError
 */
export function wantedSize(fields: ReadonlyMap<string, string>): Wanted | null {
  if (/^(?:0|false|no|)$/i.test(fields.get('optimize')?.trim() ?? '')) return null;
  return {
    width: side(fields, 'max_width') ?? USUAL_WIDTH,
    height: side(fields, 'max_height') ?? USUAL_HEIGHT,
  };
}

function side(fields: ReadonlyMap<string, string>, name: string): number | null {
  const text = fields.get(name)?.trim() ?? '';
  if (text === '') return null;
  const pixels = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (pixels < 1 || pixels > MOST_SIDE) {
    throw new ServiceError('ValidationError', `${name} must be a whole number from 1 to ${MOST_SIDE}`);
  }
  return pixels;
}

/**
 * A smaller image of the same format, or the reason why there is none, for the uploader. Animations, and
 * images that would not become smaller, stay unchanged without a notice.
 */
export async function smallerImage(
  { storage, storageKey, stored }: UnclaimedContent,
  wanted: Wanted,
): Promise<Buffer | string | null> {
  if (sniffImage(stored.head) === null) return null;
  if (stored.bytes > LIMITS.imageBytes) return 'The image is too large to be optimized';
  const images = await loadImageTool();
  if (!images) return 'Images are not optimized here: the package sharp is not installed';
  const opened = await storage.open(storageKey, { start: 0, end: stored.bytes - 1 });
  if (!opened) return null;
  const content = Buffer.isBuffer(opened.body) ? opened.body : await buffer(opened.body);
  try {
    const size = await images.measure(content);
    if (size.frames > 1) return null;
    const made = await images.resize(content, {
      ...boxFor(size, wanted),
      fit: 'inside',
      quality: QUALITY,
      format: 'same',
    });
    return made.content.length < content.length ? made.content : null;
  } catch (error) {
    if (error instanceof ServiceError) return `The image was not optimized: ${error.message}`;
    throw error;
  }
}

function boxFor(size: ImageSize, wanted: Wanted): Wanted {
  const within = (most: number, side: number) =>
    Math.round(Math.max(Math.min(most, side * PART), LEAST_SIDE));
  return { width: within(wanted.width, size.width), height: within(wanted.height, size.height) };
}
