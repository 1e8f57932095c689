import { readMethod } from '../api.ts';
import { connectionError } from '../api-error.ts';
import { currentCsrfToken } from '../session.ts';
import type { TusReply, TusRequest } from './tus-upload.ts';

/** Sends upload requests with XMLHttpRequest, because fetch does not report upload progress. */
export async function browserTransport(request: TusRequest): Promise<TusReply> {
  const reply = await sendOnce(request);
  if (reply.status !== 401 && reply.status !== 403) return reply;
  // This request asks a signed-out user to sign in, and fails otherwise.
  const user = await readMethod<string>('frappe.auth.get_logged_user').catch(() => null);
  return user === null ? reply : sendOnce(request);
}

function sendOnce({ verb, url, headers, body, onProgress, signal }: TusRequest): Promise<TusReply> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const wire = new XMLHttpRequest();
    wire.open(verb, url);
    for (const [name, value] of Object.entries(headers)) wire.setRequestHeader(name, value);
    wire.setRequestHeader('accept', 'application/json');
    if (verb !== 'HEAD') wire.setRequestHeader('x-frappe-csrf-token', currentCsrfToken());
    if (onProgress) wire.upload.addEventListener('progress', (event) => onProgress(event.loaded));
    const abort = () => wire.abort();
    signal.addEventListener('abort', abort);
    wire.addEventListener('loadend', () => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) return reject(signal.reason);
      if (wire.status === 0) return reject(connectionError(null));
      resolve({
        status: wire.status,
        text: wire.responseText,
        header: (name) => wire.getResponseHeader(name),
      });
    });
    wire.send(body ?? null);
  });
}

const LONGEST = 30_000;

/** Waits before a retry. The delay grows with each failure and ends early when the network returns. */
export function waitForNetwork(failures: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, Math.min(LONGEST, 500 * 2 ** failures));
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
