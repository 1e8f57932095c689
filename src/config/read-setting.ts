import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseBlock, plainAddress } from '../kernel/ip-address.ts';
import { parseFilesPlace } from './files-place.ts';

// What settings are, from text or JSON: each throws an Error that says what is wanted.

/** A text, without the spaces around it. */
export function text(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error('must be a text that is not empty');
  return value.trim();
}

/** A text of any characters. */
export function atMost(length: number): (value: unknown) => string {
  return (value) => {
    if (typeof value !== 'string' || value === '' || value.length > length) {
      throw new Error(`must be a text of 1 to ${length} characters`);
    }
    return value;
  };
}

/** A whole number, also as text. */
export function integer(least: number, most: number): (value: unknown) => number {
  return (value) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return number;
  };
}

/** True or false, in several words. */
export function flag(value: unknown): boolean {
  const known = new Map<unknown, boolean>([
    [true, true],
    ['true', true],
    ['1', true],
    ['yes', true],
    [false, false],
    ['false', false],
    ['0', false],
    ['no', false],
  ]);
  const found = known.get(typeof value === 'string' ? value.trim().toLowerCase() : value);
  if (found === undefined) throw new Error('must be true or false');
  return found;
}

/** One of several words. */
export function oneOf(...choices: readonly string[]): (value: unknown) => string {
  return (value) => {
    if (typeof value !== 'string' || !choices.includes(value))
      throw new Error(`must be ${choices.join(' or ')}`);
    return value;
  };
}

/** A list is an array in the file and comma-separated text elsewhere; empty text is the empty list. */
export function list(read: (value: unknown) => string): (value: unknown) => string[] {
  return (value) => {
    const items = typeof value === 'string' ? value.split(',').filter((item) => item.trim() !== '') : value;
    if (!Array.isArray(items)) throw new Error('must be a list');
    return items.map(read);
  };
}

/** `sqlite:` with an absolute path, or `postgres:`. */
export function databaseUrl(value: unknown, cwd: string): string {
  const url = text(value);
  if (/^sqlite:./.test(url))
    return `sqlite:${resolve(cwd, url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''))}`;
  if (/^postgres(ql)?:\/\/./.test(url) && URL.canParse(url)) return url;
  throw new Error('must be sqlite:<path> or postgres://user:password@host/name');
}

/** A directory, or what else stores files. */
export function filesPlace(value: unknown, cwd: string): string {
  const given = text(value);
  const place = parseFilesPlace(given, cwd);
  return place.kind === 'disk' ? place.root : given;
}

/** A path of nginx's with slashes around it. */
export function location(value: unknown): string {
  const path = text(value);
  if (!/^\/(?:[\w.-]+\/)+$/.test(path)) throw new Error('must be a location such as /protected/');
  return path;
}

/** A time zone that this Node knows. */
export function timeZone(value: unknown): string {
  const name = text(value);
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    throw new Error('must be a time zone such as UTC or Europe/Zurich');
  }
  return name;
}

/** `key:secret` */
export function keyAndSecret(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_.-]{1,140}:[\x21-\x7e]{1,512}$/.test(value)) {
    throw new Error('must be key:secret, the key of letters, digits, _ . - and the secret without spaces');
  }
  return value;
}

/** 32 bytes in base64. */
export function secretKey(value: unknown): string {
  if (typeof value !== 'string' || Buffer.from(value, 'base64').length !== 32) {
    throw new Error('must be 32 bytes in base64');
  }
  return value;
}

/** An address without a slash at its end. */
export function siteUrl(value: unknown): string {
  const given = text(value);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new Error('must be an address such as https://crm.example.com');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Where mails are handed over. */
export function mailUrl(value: unknown): string {
  const given = text(value);
  const url = URL.parse(given);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || url.search || url.hash) {
    throw new Error('must be smtp://user:password@host:port or smtps://…');
  }
  return given;
}

/** A proxy that opens tunnels. */
export function tunnelProxy(value: unknown): string {
  const given = text(value);
  const url = URL.parse(given);
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search || url.hash) {
    throw new Error('must be http://host:port or http://user:password@host:port');
  }
  return given;
}

/** One address of mail. */
export function mailAddress(value: unknown): string {
  const address = text(value);
  if (!/^[^\s<>,;:"@()]+@[^\s<>,;:"@()]+$/.test(address)) throw new Error('must be one address');
  return address;
}

/** A secret that is sent in a header. */
export function metricsToken(value: unknown): string {
  const token = text(value);
  if (!/^[\x21-\x7e]{16,512}$/.test(token)) throw new Error('must be 16 to 512 characters without spaces');
  return token;
}

/** A network, or one address. */
export function cidr(value: unknown): string {
  const block = text(value);
  const [address = '', prefix = '', ...rest] = block.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  if (!bits || rest.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) {
    throw new Error(`must name networks such as 127.0.0.0/8, not "${block}"`);
  }
  return block;
}

/** A proxy, or a network of them. Nobody means to believe everybody, and addresses are compared in their plain form. */
export function proxy(value: unknown): string {
  const given = text(value);
  const block = parseBlock(given);
  if (!block || block.bits === 0) {
    throw new Error(`must name addresses or networks such as 10.0.0.0/8, not "${given}"`);
  }
  if (plainAddress(block.network) !== block.network) throw new Error(`must name "${given}" in IPv4's form`);
  return given;
}
