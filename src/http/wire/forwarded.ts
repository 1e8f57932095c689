import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { contains, parseAddress, parseBlock, plainAddress } from '../../kernel/ip-address.ts';

/** True for an address whose `X-Forwarded-*` headers are trusted. */
export type TrustProxy = (address: string) => boolean;

/**
 * Trusts the networks of the setting `trustProxy` only. Without networks it is false, Fastify's value for no
 * proxy.
 */
export function trustedProxies(networks: readonly string[]): TrustProxy | false {
  if (networks.length === 0) return false;
  const blocks = networks.map(parseBlock).filter((block) => block !== null);
  return (text) => {
    const address = parseAddress(text);
    return address !== null && blocks.some((block) => contains(block, plainAddress(address)));
  };
}

/**
 * Makes `request.ip` the plain address of the caller, `request.protocol` and `request.host` those that the
 * caller used. Normalises the headers of trusted proxies first, because Fastify would take the nearest entry
 * for an address without a check.
 */
export function registerForwarded(app: FastifyInstance, trusts: TrustProxy | false): void {
  app.server.on('connection', requirePeer);
  if (trusts === false) return;
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (trusts(raw.socket.remoteAddress ?? '')) putInOrder(raw, trusts);
    done();
  });
}

// A server on `::` sees IPv4 callers as `::ffff:192.0.2.1`, which would give one caller two addresses. A client
// that reset its connection before Node accepted it has no address, although its request would be read: no
// request runs for an unknown caller.
function requirePeer(socket: Socket): void {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) socket.destroy();
  else if (remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.')) {
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress.slice('::ffff:'.length) });
  }
}

function putInOrder({ headers }: IncomingMessage, trusts: TrustProxy): void {
  const from = headers['x-forwarded-for'];
  if (from !== undefined) {
    const caller = callerOf(String(from), trusts);
    if (caller === null) delete headers['x-forwarded-for'];
    else headers['x-forwarded-for'] = caller;
  }
  // The nearest proxy wrote the last value.
  const protocol = lastOf(headers['x-forwarded-proto'])?.toLowerCase();
  if (protocol === 'http' || protocol === 'https') headers['x-forwarded-proto'] = protocol;
  else delete headers['x-forwarded-proto'];
  const host = lastOf(headers['x-forwarded-host']);
  if (host !== undefined && HOST.test(host)) headers['x-forwarded-host'] = host;
  else delete headers['x-forwarded-host'];
}

const HOST = /^[\w.:[\]-]{1,255}$/;

function lastOf(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(',').at(-1)?.trim();
}

// Follows the peers that trusted proxies name, from the nearest on, to the first peer that is no trusted
// proxy. Null when the header names none.
function callerOf(header: string, trusts: TrustProxy): string | null {
  let caller: string | null = null;
  for (const entry of header.split(',').reverse()) {
    const address = plainText(entry.trim());
    if (address === null) return caller;
    caller = address;
    if (!trusts(caller)) return caller;
  }
  return caller;
}

// The canonical form of an address. Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
function plainText(entry: string): string | null {
  const inner = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(entry)?.[1];
  const text = inner ?? entry;
  const address = parseAddress(text);
  if (address === null) return null;
  const plain = plainAddress(address);
  return plain.length === 4 ? plain.join('.') : new URL(`http://[${text}]`).hostname.slice(1, -1);
}
