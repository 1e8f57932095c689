import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentHeaders } from '../file/content-headers.ts';
import { select } from '../file/select-content.ts';
import type { StoredFile } from '../file/stored-file.ts';
import { asStored, type ThumbnailSize, Thumbnails } from '../file/thumbnail.ts';
import { ThumbnailCache } from '../file/thumbnail-cache.ts';
import type { FileSite } from '../file/upload-file.ts';
import { LIMITS } from '../kernel/limits.ts';
import { Gate } from './gate.ts';
import { callerKey } from './rate-limit.ts';

/** Answers with a smaller image; resolves to null where none can be made, so that the image itself does. */
export type SendThumbnail = (
  file: StoredFile,
  size: ThumbnailSize,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | null>;

/** From one look for thumbnails that are too old to the next. Milliseconds. */
const PRUNED_EVERY = 60 * 60 * 1000;

/**
 * Thumbnails of a site, kept in its data directory as long as the server runs. One caller has half of the places where
 * they are made.
 */
export function thumbnailSender(app: FastifyInstance, { config, observe, storage }: FileSite): SendThumbnail {
  const cache = new ThumbnailCache(join(config.data, 'thumbnails'), config.downloads.thumbnailBytes, observe);
  const pruning = setInterval(() => void cache.prune(), PRUNED_EVERY);
  app.addHook('onClose', async () => clearInterval(pruning));
  const thumbnails = new Thumbnails(storage, cache);
  const gate = new Gate({ atOnce: LIMITS.imagesAtOnce, patience: LIMITS.thumbnailPatience });

  return async (file, size, request, reply) => {
    const caller = callerKey(request);
    const content = await thumbnails.get(file, size, async () => {
      if (!gate.enter(caller)) await gate.wait(caller);
      return () => gate.leave(caller);
    });
    if (content === null) return null;
    const thumbnail = asStored(file, size, content);
    reply.headers(contentHeaders(thumbnail)).header('accept-ranges', 'none');
    const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers;
    if (select(thumbnail, { ifNoneMatch, ifModifiedSince }) === 'not modified') {
      return reply.code(304).removeHeader('content-type').send();
    }
    return reply.send(content);
  };
}
