import { ServiceError } from '../kernel/errors.ts';
import { type Address, type Block, contains, parseAddress, parseBlock } from '../kernel/ip-address.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * Parses addresses and CIDRs, separated by line breaks or commas.
 * @throws ServiceError ValidationError naming the first invalid entry, or for too many entries
 */
export function parseAddresses(text: string): readonly string[] {
  const listed = text.split(/[\s,]+/).filter((one) => one !== '');
  const wrong = listed.find((one) => parseBlock(one) === null);
  if (wrong !== undefined) {
    throw new ServiceError('ValidationError', `${wrong.slice(0, 80)} is not an IP address, nor a CIDR`);
  }
  if (listed.length > LIMITS.keyAddresses) {
    throw new ServiceError('ValidationError', `More than ${LIMITS.keyAddresses} addresses`);
  }
  return listed;
}

/**
 * True when an entry of the list contains the client's address. A text that is not an address is in no list.
 */
export function isListed(list: readonly string[], client: string): boolean {
  const address = parseAddress(client);
  if (address === null) return false;
  const plain = unmapped(address);
  return list.some((one) => {
    const block = parseBlock(one);
    return block !== null && contains(unmappedBlock(block), plain);
  });
}

// A dual-stack socket shows IPv4 as ::ffff:192.0.2.1.
function unmapped(address: Address): Address {
  return isMapped(address) ? address.slice(12) : address;
}

function unmappedBlock(block: Block): Block {
  if (block.bits < 96 || !isMapped(block.network)) return block;
  return { network: block.network.slice(12), bits: block.bits - 96 };
}

function isMapped(address: Address): boolean {
  if (address.length !== 16) return false;
  return address.every((byte, index) => index >= 12 || byte === (index < 10 ? 0 : 255));
}
