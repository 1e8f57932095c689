import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseCoding, codedTag, varyByCoding } from '../wire/content-coding.ts';
import { namesTag } from '../wire/names-tag.ts';
import type { BuiltFile } from './built-ui.ts';

/** Sends a file of the UI in a coding that the client accepts, or 304 when the client has it. */
export function sendBuilt(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, hash, bytes, coded }: BuiltFile,
): FastifyReply {
  const etag = `"${hash}"`;
  const coding = chooseCoding(headers['accept-encoding'], (one) => coded[one] !== undefined);
  reply.header('etag', coding === null ? etag : codedTag(etag, coding));
  varyByCoding(reply);
  if (namesTag(headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', type);
  if (coding === null) return reply.send(bytes);
  return reply.header('content-encoding', coding).send(coded[coding]);
}
