import { pipeline, Readable, type Transform } from 'node:stream';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { atOnce } from '../../kernel/at-once.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Coding, chooseCoding, codedTag, uncodedTags, varyByCoding } from './content-coding.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Replies hold a key, secret or token, and are never compressed: their length would tell about it. */
    confidential?: boolean;
  }
  interface FastifyReply {
    /** The same for one reply. */
    confidential: boolean;
    /** The coding that compression applied to the body. */
    coding: Coding | null;
  }
  interface FastifyRequest {
    /** `If-None-Match` as sent, when it names a coded representation. */
    codedTags: string;
  }
}

/**
 * Compresses replies of at least `LIMITS.compressBytes` for clients that ask for it. Not compressed are
 * confidential replies, ranges, and types that are compressed already or that last, such as events. Each
 * coding has an entity tag of its own; `If-Match` and `If-None-Match` accept all of them.
 */
export function registerCompression(app: FastifyInstance): void {
  const inLine = atOnce(LIMITS.compressedAtOnce);
  app.decorateReply('confidential', false);
  app.decorateReply('coding', null);
  app.decorateRequest('codedTags', '');
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    const { 'if-match': match, 'if-none-match': noneMatch } = headers;
    if (match !== undefined) headers['if-match'] = uncodedTags(match);
    if (noneMatch !== undefined) {
      request.codedTags = noneMatch;
      headers['if-none-match'] = uncodedTags(noneMatch);
    }
    done();
  });
  app.addHook('onSend', (request, reply, body: unknown, done) => {
    if (reply.coding !== null) dropCoding(reply);
    if (reply.statusCode === 304) keepTag(request, reply);
    if (!isCompressible(request, reply, body)) return done(null, body);
    varyByCoding(reply);
    const coding = request.method === 'HEAD' ? null : chooseCoding(request.headers['accept-encoding']);
    if (coding === null) return done(null, body);
    reply.coding = coding;
    reply.header('content-encoding', coding).removeHeader('content-length');
    const etag = reply.getHeader('etag');
    if (typeof etag === 'string') reply.header('etag', codedTag(etag, coding));
    const { whole, wholeSync, stream } = CODERS[coding];
    if (body instanceof Readable)
      return done(
        null,
        pipeline(body, stream(), () => undefined),
      );
    if (body.length <= LIMITS.compressInPlace) return done(null, wholeSync(body));
    inLine((end) => {
      const finish: WholeDone = (error, coded) => {
        end();
        if (error) done(error);
        else done(null, coded);
      };
      try {
        whole(body, finish);
      } catch (error) {
        // Without memory for it, a compression does not begin.
        finish(error as Error);
      }
    });
  });
}

type Body = string | Buffer | Readable;

function isCompressible(request: FastifyRequest, reply: FastifyReply, body: unknown): body is Body {
  if (sizeOf(reply, body) < LIMITS.compressBytes) return false;
  if (reply.confidential || request.declared?.confidential) return false;
  // A range is part of the uncoded bytes.
  if (reply.statusCode === 206 || reply.hasHeader('content-encoding')) return false;
  if (/\bno-transform\b/.test(String(reply.getHeader('cache-control')))) return false;
  return COMPRESSIBLE.test(String(reply.getHeader('content-type')));
}

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml)) *(?:;|$))/;

/** Bytes; a stream of unknown length counts as long. */
function sizeOf(reply: FastifyReply, body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (Buffer.isBuffer(body)) return body.length;
  if (!(body instanceof Readable)) return 0;
  return Number(reply.getHeader('content-length') ?? Number.POSITIVE_INFINITY);
}

// An error replaced the body after it was compressed.
function dropCoding(reply: FastifyReply): void {
  reply.coding = null;
  reply.removeHeader('content-encoding');
}

// A 304 names the representation that the client has.
function keepTag({ codedTags }: FastifyRequest, reply: FastifyReply): void {
  const plain = String(reply.getHeader('etag')).slice(0, -1);
  const at = codedTags.indexOf(`${plain}.`);
  const coded = at === -1 ? undefined : /^"[^"]*"/.exec(codedTags.slice(at))?.[0];
  if (coded === undefined) return;
  reply.header('etag', coded);
  varyByCoding(reply);
}

type WholeDone = (error: Error | null, coded?: Buffer) => void;

interface Coder {
  readonly whole: (body: string | Buffer, done: WholeDone) => void;
  readonly wholeSync: (body: string | Buffer) => Buffer;
  readonly stream: () => Transform;
}

// Higher qualities take several times the CPU for a few percent.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const CODERS: Readonly<Record<Coding, Coder>> = {
  br: {
    whole: (body, done) => brotliCompress(body, BROTLI, done),
    wholeSync: (body) => brotliCompressSync(body, BROTLI),
    stream: () => createBrotliCompress(BROTLI),
  },
  zstd: { whole: zstdCompress, wholeSync: zstdCompressSync, stream: createZstdCompress },
  gzip: { whole: gzip, wholeSync: gzipSync, stream: createGzip },
};
