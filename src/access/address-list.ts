import { ServiceError } from '../kernel/errors.ts';
import { type Block, contains, parseAddress, parseBlock, plainAddress } from '../kernel/ip-address.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * Parses addresses and CIDRs, separated by line breaks or commas.
 * @throws ServiceError ValidationError naming the first invalid entry, or for too many entries
 */
export function parseAddresses(text: string): readonly string[] {
  const listed = text.split(/[\s,]+/).filter((one) => one !== '');
  const wrong = listed.find((one) => parseBlock(one) === null);
  if (wrong !== undefined) {
    throw new ServiceError('ValidationError', `${wrong.slice(0, 80)} is neither an IP address nor a CIDR`);
  }
  if (listed.length > LIMITS.keyAddresses) {
    throw new ServiceError('ValidationError', `At most ${LIMITS.keyAddresses} addresses are allowed`);
  }
  return listed;
}

/**
 * True when an entry of the list contains the client's address. A text that is not an address is in no list.
 */
export function isListed(list: readonly string[], client: string): boolean {
  const address = parseAddress(client);
  if (address === null) return false;
  const plain = plainAddress(address);
  return list.some((one) => {
    const block = parseBlock(one);
    return block !== null && contains(plainBlock(block), plain);
  });
}

// The same for a block: a dual-stack socket shows IPv4 as ::ffff:192.0.2.1, which lists may name as well.
function plainBlock(block: Block): Block {
  const network = plainAddress(block.network);
  return block.bits < 96 || network === block.network ? block : { network, bits: block.bits - 96 };
}
