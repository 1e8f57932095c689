import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { readContext } from '../../document/context.ts';
import { authoriseFile } from '../../file/serve-file.ts';
import { thumbnailSize } from '../../file/thumbnail.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { parseRequestArguments, queryOf } from '../arguments.ts';
import { addRoute } from '../route-table.ts';
import { DOWNLOAD, DOWNLOAD_V2, PRIVATE_FILE, PUBLIC_FILE } from './addresses.ts';
import { sendFile } from './send-file.ts';
import { sendThumbnail, thumbnailMaker } from './send-thumbnail.ts';

/**
 * Downloads: `/files/…` for everyone, `/private/files/…` for users who may read the File now. `download_file`
 * serves both.
 */
export function registerFileRoutes(app: FastifyInstance, site: FileSite): void {
  const makeThumbnail = thumbnailMaker(app, site);
  for (const address of [PUBLIC_FILE, PRIVATE_FILE]) {
    const prefix = address.path.slice(0, -1);
    const send: RouteHandlerMethod = async (request, reply) => {
      const { '*': rest } = request.params as { '*': string };
      const query = queryOf(request);
      const size = thumbnailSize(query);
      const file = await authoriseFile(readContext(site, request.user), prefix + rest, query.link);
      const thumbnail = size && (await makeThumbnail(file, size, request));
      if (thumbnail) return sendThumbnail(thumbnail, request, reply);
      return sendFile(site, file, false, request, reply);
    };
    addRoute(app, address, send, { isAnsweredByReaders: wantsNoThumbnail });
  }
  for (const address of [DOWNLOAD, DOWNLOAD_V2]) {
    const send: RouteHandlerMethod = (request, reply) =>
      downloadFile(site, String(parseRequestArguments(request)['file_url'] ?? ''), request, reply);
    addRoute(app, address, send, { isAnsweredByReaders: () => true });
  }
}

// One process makes and stores thumbnails.
function wantsNoThumbnail(request: FastifyRequest): boolean {
  const { w = '', h = '' } = queryOf(request);
  return w === '' && h === '';
}

/**
 * Sends the file of a url as a download to a user who may read it. @throws ServiceError as `authoriseFile`
 * and `sendFile`
 */
export async function downloadFile(
  site: FileSite,
  url: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await authoriseFile(readContext(site, request.user), url);
  return sendFile(site, file, true, request, reply);
}
