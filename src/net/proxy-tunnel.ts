import type { Socket } from 'node:net';
import { ProxyError } from './connect-error.ts';

/** An HTTP proxy that opens tunnels (CONNECT). */
export interface TunnelProxy {
  readonly host: string;
  readonly port: number;
  /** The value of Proxy-Authorization; null without credentials. */
  readonly authorization: string | null;
}

/** Parses the setting `webhooks.proxy`, an `http:` URL that may hold credentials. */
export function parseProxy(setting: string): TunnelProxy {
  const url = new URL(setting);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 80),
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** More bytes than any proxy sends. */
const MOST_BYTES = 8 * 1024;

/**
 * Asks the proxy at the other end of `socket` for a tunnel to `host` (IPv6 without brackets) and `port`.
 * Calls `done` at most once, and never when the socket breaks: the code that opened the socket handles that.
 */
export function openTunnel(
  socket: Socket,
  proxy: TunnelProxy,
  host: string,
  port: number,
  done: (error: Error | null) => void,
): void {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxy.authorization ? `Proxy-Authorization: ${proxy.authorization}\r\n` : '';
  let head = '';
  const finish = (error: Error | null) => {
    socket.off('readable', read);
    socket.off('end', ended);
    done(error);
  };
  const ended = () => finish(new ProxyError('the proxy closed the connection'));
  const read = () => {
    const chunk: unknown = socket.read();
    if (!(chunk instanceof Buffer)) return;
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end >= 0) finish(tunnelError(head, end, place));
    else if (head.length > MOST_BYTES) finish(new ProxyError('the proxy did not answer CONNECT'));
  };
  socket.on('readable', read);
  socket.on('end', ended);
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${authorization}\r\n`, 'latin1');
}

function tunnelError(head: string, end: number, place: string): Error | null {
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(head)?.[1] ?? 0);
  if (status >= 200 && status < 300) {
    // Nothing was sent through the tunnel yet, so nothing may arrive.
    return head.length === end + 4 ? null : new ProxyError('the proxy sent data after its answer to CONNECT');
  }
  // The proxy's refusal of this target does not concern other targets. Its refusal of our credentials
  // concerns all.
  if (status >= 400 && status !== 407) return new Error(`the proxy answered ${status} for ${place}`);
  return new ProxyError(status === 407 ? 'the proxy wants credentials' : 'the proxy does not answer in HTTP');
}
