import { resolve } from 'node:path';
import { hostUrls } from '../kernel/host-urls.ts';
import { parseBlock, plainAddress } from '../kernel/ip-address.ts';
import { parseFilesPlace } from './files-place.ts';

// Readers of settings, from text or JSON. Each throws an Error that states the expected value.

/** A text. Surrounding spaces are removed. */
export function text(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error('must be a text that is not empty');
  return value.trim();
}

/** A text with a maximum length. */
export function atMost(length: number): (value: unknown) => string {
  return (value) => {
    if (typeof value !== 'string' || value === '' || value.length > length) {
      throw new Error(`must be a text of 1 to ${length} characters`);
    }
    return value;
  };
}

/** A whole number, or its text. */
export function integer(least: number, most: number): (value: unknown) => number {
  return (value) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return number;
  };
}

/** A number of processes, or `auto`. */
export function workers(value: unknown): number | 'auto' {
  if (value === 'auto') return value;
  try {
    return integer(1, 256)(value);
  } catch {
    throw new Error('must be a whole number from 1 to 256, or auto');
  }
}

/** A boolean, or one of several words for it. */
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
export function oneOf<const Choice extends string>(
  ...choices: readonly Choice[]
): (value: unknown) => Choice {
  return (value) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new Error(`must be ${choices.join(' or ')}`);
    return found;
  };
}

/** A list: an array in the file, and comma-separated text elsewhere. Empty text is the empty list. */
export function list(read: (value: unknown) => string): (value: unknown) => readonly string[] {
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
  try {
    return postgresUrl(url);
  } catch {
    throw new Error('must be sqlite:<path> or postgres://user:password@host/name');
  }
}

/** The URL of a PostgreSQL database. */
export function postgresUrl(value: unknown): string {
  const url = text(value);
  if (/^postgres(ql)?:\/\/./.test(url) && hostUrls(url)) return url;
  throw new Error('must be postgres://user:password@host/name');
}

/** A directory, or a URL of other file storage. */
export function filesPlace(value: unknown, cwd: string): string {
  const given = text(value);
  const place = parseFilesPlace(given, cwd);
  return place.kind === 'disk' ? place.root : given;
}

/** A path of an nginx location. It begins and ends with a slash. */
export function location(value: unknown): string {
  const path = text(value);
  if (!/^\/(?:[\w.-]+\/)+$/.test(path)) throw new Error('must be a location such as /protected/');
  return path;
}

/** A time zone known to this version of Node. */
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
    throw new Error(
      'must be key:secret; the key consists of letters, digits, _ . - and the secret has no spaces',
    );
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

/** A URL without a trailing slash. */
export function siteUrl(value: unknown): string {
  const given = text(value);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new Error('must be an address such as https://crm.example.com');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** The URL of a mail server. */
export function mailUrl(value: unknown): string {
  const given = text(value);
  const url = URL.parse(given);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || url.search || url.hash) {
    throw new Error('must be smtp://user:password@host:port or smtps://…');
  }
  return given;
}

/** The URL of a proxy that supports tunnels. */
export function tunnelProxy(value: unknown): string {
  const given = text(value);
  const url = URL.parse(given);
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search || url.hash) {
    throw new Error('must be http://host:port or http://user:password@host:port');
  }
  return given;
}

/** One mail address. */
export function mailAddress(value: unknown): string {
  const address = text(value);
  if (!/^[^\s<>,;:"@()]+@[^\s<>,;:"@()]+$/.test(address)) throw new Error('must be one address');
  return address;
}

/** A secret sent in a header. */
export function metricsToken(value: unknown): string {
  const token = text(value);
  if (!/^[\x21-\x7e]{16,512}$/.test(token)) throw new Error('must be 16 to 512 characters without spaces');
  return token;
}

/** A CIDR, or one address. IPv4 is written in its own form, which addresses are compared in. */
export function cidr(value: unknown): string {
  const given = text(value);
  const block = parseBlock(given);
  if (!block) throw new Error(`must name addresses or networks such as 10.0.0.0/8, not "${given}"`);
  if (plainAddress(block.network) !== block.network) throw new Error(`must name "${given}" in IPv4's form`);
  return given;
}

/**
 * A proxy's address or CIDR. Refuses a network of all addresses, because trusting every client is always a
 * mistake.
 */
export function proxy(value: unknown): string {
  const given = cidr(value);
  if (parseBlock(given)?.bits === 0) throw new Error(`must not name every address, as "${given}" does`);
  return given;
}

// Readers of System Settings fields whose form differs from the setting. Empty fields are not read.

/** Bytes, written in whole megabytes; -1 stands for 0 bytes where `least` allows it. */
export function wholeMegabytes(least: 0 | 1, most: number): (value: string | number) => number {
  const megabyte = 1024 * 1024;
  return (value) => {
    const megabytes = Number(value);
    const isZero = least === 0 && megabytes === -1;
    if (!isZero && !(megabytes >= least && megabytes <= most / megabyte)) {
      throw new Error(`must be from 1 to ${most / megabyte} MB${least === 0 ? ', or -1' : ''}`);
    }
    return isZero ? 0 : megabytes * megabyte;
  };
}

/** Origins separated by spaces, commas or line breaks; `none` is the empty list. */
export function origins(value: string | number): readonly string[] {
  const written = String(value).trim();
  if (written.toLowerCase() === 'none') return [];
  const given = written.split(/[\s,]+/).filter((origin) => origin !== '');
  for (const origin of given) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw new Error(`must name origins such as https://app.example.com, not "${origin.slice(0, 100)}"`);
    }
  }
  return given;
}
