import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** 4 bytes for IPv4, 16 for IPv6, in network order. */
export type Address = Uint8Array;

/** A block of addresses of one family. */
export interface Block {
  readonly network: Address;
  /** The length of the prefix. */
  readonly bits: number;
}

/** Parses a literal address; null for anything else, including zone identifiers (`fe80::1%eth0`). */
export function parseAddress(text: string): Address | null {
  // ipaddr.js alone would take `127.1` and `0x7f000001` for addresses, too.
  if (isIP(text) === 0 || text.includes('%')) return null;
  return Uint8Array.from(ipaddr.parse(text).toByteArray());
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. */
export function parseBlock(text: string): Block | null {
  const [base = '', length, ...rest] = text.trim().split('/');
  const network = parseAddress(base);
  if (!network || rest.length > 0) return null;
  if (length === undefined) return { network, bits: network.length * 8 };
  if (!/^\d{1,3}$/.test(length) || Number(length) > network.length * 8) return null;
  return { network, bits: Number(length) };
}

/** True when the block contains the address. Families never match each other. */
export function contains(block: Block, address: Address): boolean {
  if (block.network.length !== address.length) return false;
  for (let index = 0, bits = block.bits; bits > 0; index++, bits -= 8) {
    const mask = bits >= 8 ? 255 : (255 << (8 - bits)) & 255;
    if (((block.network[index] ?? 0) & mask) !== ((address[index] ?? 0) & mask)) return false;
  }
  return true;
}

/**
 * The plain form of an address: an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes its IPv4 address.
 */
export function plainAddress(address: Address): Address {
  return contains(MAPPED, address) ? address.subarray(12) : address;
}

const MAPPED: Block = {
  network: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0),
  bits: 96,
};
