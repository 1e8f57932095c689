import type { IncomingMessage } from 'node:http';
import { freeBuffer } from '../../kernel/free-buffer.ts';
import { announcedBytes } from './unread-body.ts';

/**
 * A whole body of at most `most` bytes, once it has arrived. The request, now paused, delivers it once more. Null,
 * with nothing read, for a longer body and for one of unknown length.
 */
export async function peekBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const wanted = announcedBytes(request);
  if (wanted === 0 || wanted > most) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const fail = (error = new Error('the body ended early')) => reject(error);
    if (request.destroyed) return fail();
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < wanted) return;
      request.pause().off('data', onData).off('error', fail).off('close', fail);
      const body = chunks.length === 1 ? chunk : joined(chunks, bytes);
      // In this very turn, because the request may end in the next one.
      request.unshift(body);
      resolve(body);
    };
    request.on('data', onData).once('error', fail).once('close', fail);
  });
}

function joined(chunks: readonly Buffer[], bytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(whole, at);
    freeBuffer(chunk);
  }
  return whole;
}
