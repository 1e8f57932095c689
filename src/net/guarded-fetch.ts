import { isIP } from 'node:net';
import { Agent, request as send } from 'undici';
import { LIMITS } from '../kernel/limits.ts';
import { addressGuard, BlockedAddressError } from './address-guard.ts';

/** Options as in `fetch`; the body is text or a form. */
export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * A `fetch` for servers named in a setting. It reaches public addresses and those in `allow`, uses plain HTTP
 * only on this machine, follows no redirects, and has a timeout and a limit on bytes.
 */
export function guardedFetch(
  allow: readonly string[],
): (url: string, options?: FetchOptions) => Promise<Response> {
  const guard = addressGuard(allow);
  const dispatcher = new Agent({
    connect: { lookup: guard.lookup, timeout: LIMITS.deliveryConnectTimeout },
    keepAliveTimeout: 1,
  });
  return async (text, options = {}) => {
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isHere = host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) {
      throw new Error(`${url.origin} is not https:`);
    }
    // A literal address never reaches the resolver.
    if (isIP(host) !== 0 && !guard.allows(host)) throw new BlockedAddressError(host);
    const reply = await send(url, {
      dispatcher,
      method: options.method === 'POST' ? 'POST' : 'GET',
      headers: { ...options.headers, 'accept-encoding': 'identity' },
      body: options.body === undefined || options.body === null ? null : String(options.body),
      signal: AbortSignal.timeout(LIMITS.deliveryTimeout),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of reply.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LIMITS.providerResponseBytes) throw new Error(`${url.origin} sent too large a response`);
      chunks.push(chunk);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(reply.headers)) {
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
    }
    const isEmpty = reply.statusCode === 204 || reply.statusCode === 304;
    return new Response(isEmpty ? null : Buffer.concat(chunks), { status: reply.statusCode, headers });
  };
}
