import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Address, type Block, contains, parseAddress, parseBlock } from '../kernel/ip-address.ts';
import { type Resolve, systemResolver } from './resolve-names.ts';

/** Ends a connection to a forbidden target. */
export class BlockedAddressError extends Error {
  constructor(address: string) {
    super(refusalOf(address));
    this.name = 'BlockedAddressError';
  }
}

function refusalOf(address: string): string {
  return `address ${address} is not allowed for webhooks (setting webhooks.allow)`;
}

/**
 * The reason why requests to this URL are forbidden, as far as it is known without a name lookup; null
 * without one.
 */
export function forbiddenLiteral(url: string, allow: readonly string[]): string | null {
  if (!URL.canParse(url)) return null;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || addressGuard(allow).allows(host) ? null : refusalOf(host);
}

export interface AddressGuard {
  /** Judges a literal address, without brackets. Refuses any text that is not an address. */
  allows(address: string): boolean;
  /**
   * For `net.connect`: resolves all addresses of a name, refuses the name if any of them is forbidden, and
   * returns only checked addresses. Node never passes a literal address here: check it before connecting.
   */
  readonly lookup: LookupFunction;
}

/**
 * A guard that allows public addresses, and those in `allow` (addresses and CIDRs). This machine's own
 * addresses must be named one by one, because no firewall filters its traffic to itself.
 */
export function addressGuard(
  allow: readonly string[],
  resolve: Resolve = systemResolver(),
  own: () => readonly string[] = ownAddresses,
): AddressGuard {
  const blocks = allow.map(parseBlock).filter((block) => block !== null);
  const isNamed = (target: Address) =>
    blocks.some((block) => block.bits === target.length * 8 && contains(block, target));

  function allows(text: string): boolean {
    const address = parseAddress(text);
    if (!address) return false;
    return targetsOf(address).every((target) => {
      const tier = tierOf(target);
      if (tier !== 'never' && isOwn(target, own())) return isNamed(target);
      return tier === 'public' || blocks.some((block) => opens(block, target, tier));
    });
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const refused = addresses.find((address) => !allows(address));
        if (refused !== undefined) return callback(new BlockedAddressError(refused), '');
        const family = options.family === 4 || options.family === 6 ? options.family : 0;
        const usable = addresses
          .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
          .filter((found) => family === 0 || found.family === family);
        const first = usable[0];
        if (!first) return callback(Object.assign(new Error(`no address for ${hostname}`), NOT_FOUND), '');
        if (options.all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };

  return { allows, lookup };
}

const NOT_FOUND = { code: 'ENOTFOUND' };

function isOwn(target: Address, own: readonly string[]): boolean {
  return own.some((text) => {
    const address = parseAddress(text);
    return address?.length === target.length && address.every((byte, index) => byte === target[index]);
  });
}

const OWN_FOR = 5_000;
let known: readonly string[] = [];
let knownUntil = Number.NEGATIVE_INFINITY;

// Cached, because addresses change rarely.
function ownAddresses(): readonly string[] {
  const now = performance.now();
  if (now > knownUntil) {
    known = Object.values(networkInterfaces()).flatMap((found) =>
      (found ?? []).map(({ address }) => address),
    );
    knownUntil = now + OWN_FOR;
  }
  return known;
}

/**
 * `never`: this machine, its links, cloud metadata. `private`: private networks, and addresses that are no
 * real target.
 */
export type Tier = 'public' | 'private' | 'never';

/** The tier of a literal address, judged by every address that it embeds; null when it is not an address. */
export function addressTier(text: string): Tier | null {
  const address = parseAddress(text);
  if (!address) return null;
  const tiers = targetsOf(address).map(tierOf);
  if (tiers.includes('never')) return 'never';
  return tiers.includes('private') ? 'private' : 'public';
}

// A block opens the `never` tier only if it lies within that tier as a whole: 0.0.0.0/0 means "any network",
// and must not allow the metadata service by accident.
function opens(block: Block, target: Address, tier: Tier): boolean {
  return contains(block, target) && (tier !== 'never' || NEVER.some((never) => covers(never, block)));
}

function covers(outer: Block, inner: Block): boolean {
  return outer.bits <= inner.bits && contains(outer, inner.network);
}

function tierOf(address: Address): Tier {
  if (NEVER.some((block) => contains(block, address))) return 'never';
  if (PRIVATE.some((block) => contains(block, address))) return 'private';
  // Only 2000::/3 is assigned for global unicast.
  if (address.length === 16 && ((address[0] ?? 0) & 0xe0) !== 0x20) return 'private';
  return 'public';
}

// The possible destinations of a packet to this address. A wrapping IPv6 address (IPv4-mapped, NAT64) stands
// for the address inside it; a tunnel (6to4, Teredo, ISATAP) stands for itself too.
function targetsOf(address: Address): Address[] {
  if (address.length === 4) return [address];
  const low = address.subarray(12);
  if (WRAPPERS.some((block) => contains(block, address)) && !isLoopbackOrUnspecified(address)) return [low];
  const targets = [address];
  if (contains(SIX_TO_FOUR, address)) targets.push(address.subarray(2, 6));
  if (contains(LOCAL_NAT64, address)) {
    targets.push(low);
    // RFC 6052 puts the IPv4 address here when the prefix is 48 bits long.
    const inner = Uint8Array.of(at(address, 6), at(address, 7), at(address, 9), at(address, 10));
    if (inner.some((byte) => byte !== 0)) targets.push(inner);
  }
  if (contains(TEREDO, address)) {
    targets.push(
      address.subarray(4, 8),
      low.map((byte) => byte ^ 255),
    );
  }
  const isatap = (at(address, 8) & 0xfd) === 0 && at(address, 9) === 0 && at(address, 10) === 0x5e;
  if (isatap && at(address, 11) === 0xfe) targets.push(low);
  return targets;
}

function at(address: Address, index: number): number {
  return address[index] ?? 0;
}

function isLoopbackOrUnspecified(address: Address): boolean {
  return address.subarray(0, 15).every((byte) => byte === 0) && at(address, 15) <= 1;
}

function blocksOf(...texts: readonly string[]): Block[] {
  return texts.map(blockOf);
}

function blockOf(text: string): Block {
  const block = parseBlock(text);
  if (!block) throw new Error(`not a block of addresses: ${text}`);
  return block;
}

const WRAPPERS = blocksOf(
  '::ffff:0:0/96', // IPv4-mapped
  '::/96', // IPv4-compatible
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b::/96', // NAT64
);
const SIX_TO_FOUR = blockOf('2002::/16');
const LOCAL_NAT64 = blockOf('64:ff9b:1::/48');
const TEREDO = blockOf('2001::/32');

const NEVER = blocksOf(
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata services outside link-local: Alibaba, Oracle, Azure, AWS.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
);

const PRIVATE = blocksOf(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  // Reserved for protocols, documentation and benchmarks: no receiver has such an address.
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '3fff::/20',
);
