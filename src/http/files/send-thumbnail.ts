import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentHeaders } from '../../file/content-headers.ts';
import { select } from '../../file/select-content.ts';
import type { StoredFile } from '../../file/stored-file.ts';
import { asStored, type ThumbnailSize, Thumbnails } from '../../file/thumbnail.ts';
import { ThumbnailCache } from '../../file/thumbnail-cache.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { Gate } from '../limits/gate.ts';
import { callerKey } from '../limits/rate-limit.ts';

/** A smaller image, as a file for replies. */
export interface Thumbnail {
  readonly file: StoredFile;
  readonly content: Buffer;
}

/**
 * Makes the smaller image that a request asks for. Null where none can be made; then the image itself is
 * sent.
 */
export type MakeThumbnail = (
  file: StoredFile,
  size: ThumbnailSize,
  request: FastifyRequest,
) => Promise<Thumbnail | null>;

/** Milliseconds between two searches for expired thumbnails. */
const PRUNED_EVERY = 60 * 60 * 1000;

/**
 * The thumbnails of a site, which stay in its data directory while the server runs. One caller gets at most
 * half of the slots for making them.
 */
export function thumbnailMaker(app: FastifyInstance, { config, observe, storage }: FileSite): MakeThumbnail {
  const cache = new ThumbnailCache(join(config.data, 'thumbnails'), config.downloads.thumbnailBytes, observe);
  const pruning = setInterval(() => void cache.prune(), PRUNED_EVERY);
  app.addHook('onClose', async () => clearInterval(pruning));
  const thumbnails = new Thumbnails(storage, cache);
  const gate = new Gate({ atOnce: LIMITS.imagesAtOnce, patience: LIMITS.thumbnailPatience });

  return async (file, size, request) => {
    const caller = callerKey(request);
    const content = await thumbnails.get(file, size, async () => {
      if (!gate.enter(caller)) await gate.wait(caller);
      return () => gate.leave(caller);
    });
    return content && { file: asStored(file, size, content), content };
  };
}

/** Answers with a smaller image, or with 304 for a client that has it. */
export function sendThumbnail(
  { file, content }: Thumbnail,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.headers(contentHeaders(file)).header('accept-ranges', 'none');
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers;
  if (select(file, { ifNoneMatch, ifModifiedSince }) === 'not modified') {
    return reply.code(304).removeHeader('content-type').send();
  }
  return reply.send(content);
}
