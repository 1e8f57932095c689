import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BuiltFile } from './built-ui.ts';

/** Sends a file of the UI in a coding that the client accepts, or 304 when the client has it. */
export function sendBuilt(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const { coding, bytes } = chosen(file, String(request.headers['accept-encoding'] ?? ''));
  const etag = `"${file.hash}${coding === null ? '' : `-${coding}`}"`;
  reply.header('etag', etag).header('vary', 'Accept-Encoding');
  if (names(String(request.headers['if-none-match'] ?? ''), etag)) return reply.code(304).send();
  if (coding !== null) reply.header('content-encoding', coding);
  return reply.header('content-type', file.type).send(bytes);
}

interface Coded {
  readonly coding: 'br' | 'gzip' | null;
  readonly bytes: Buffer;
}

// The smallest coding first; browsers give all codings the same weight.
function chosen({ bytes, br, gzip }: BuiltFile, accepted: string): Coded {
  if (br && accepts(accepted, 'br')) return { coding: 'br', bytes: br };
  if (gzip && accepts(accepted, 'gzip')) return { coding: 'gzip', bytes: gzip };
  return { coding: null, bytes };
}

function accepts(accepted: string, coding: string): boolean {
  for (const part of accepted.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    if (name === coding) return !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  }
  return false;
}

function names(condition: string, etag: string): boolean {
  return condition.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
