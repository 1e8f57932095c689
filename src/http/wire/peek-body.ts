import type { IncomingMessage } from 'node:http';
import { GatheredBytes } from './gathered-bytes.ts';
import { announcedBytes } from './unread-body.ts';

/**
 * A whole body of at most `most` bytes, once it has arrived. The request, now paused, delivers it once more. Null,
 * with nothing read, for a longer body and for one of unknown length.
 */
export async function peekBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const wanted = announcedBytes(request);
  if (wanted === 0 || wanted > most) return null;
  const gathered = new GatheredBytes(wanted);
  return new Promise((resolve, reject) => {
    const fail = (error = new Error('the body ended early')) => reject(error);
    if (request.destroyed) return fail();
    const onData = (chunk: Buffer) => {
      gathered.add(chunk);
      if (gathered.length < wanted) return;
      request.pause().off('data', onData).off('error', fail).off('close', fail);
      const body = gathered.whole();
      // In this very turn, because the request may end in the next one.
      request.unshift(body);
      resolve(body);
    };
    request.on('data', onData).once('error', fail).once('close', fail);
  });
}
