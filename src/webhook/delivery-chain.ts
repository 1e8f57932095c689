import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Site } from '../document/context.ts';
import { derivedKey } from '../kernel/derived-key.ts';
import { LIMITS } from '../kernel/limits.ts';

/** The deliveries that led to a change, each by a change that a receiver made in answer. */
export interface DeliveryChain {
  /** How many. */
  readonly depth: number;
  /** Of which webhooks: identifiers, each once, the latest last. */
  readonly webhooks: readonly string[];
  /** What other servers said of chains of theirs; passed on as it came. */
  readonly foreign: readonly string[];
}

export const NO_CHAIN: DeliveryChain = { depth: 0, webhooks: [], foreign: [] };

type ChainSite = Pick<Site, 'secretKey'>;

/** Characters of a webhook's identifier and of a signature, in base64url. */
const ID = 8;
const SIGNATURE = 22;

/**
 * `webhook-chain` of a delivery that `chain` led to: `<depth>.<webhooks>.<signature>`, and behind a comma each chain of
 * another server. The signature proves that this site sent such a delivery, so a client cannot make up a chain.
 */
export function renderChain(site: ChainSite, chain: DeliveryChain, webhook: string): string {
  const own = idOf(webhook);
  const ids = [...chain.webhooks.filter((id) => id !== own), own].slice(-LIMITS.webhookChainMembers);
  const told = `${chain.depth}.${ids.join('')}`;
  return [`${told}.${sign(site, told)}`, ...chain.foreign].join(', ');
}

/** The chain of a change whose request passed `header` on; what is no signed chain of this site does not count. */
export function parseChain(site: ChainSite, header: string | undefined): DeliveryChain {
  if (header === undefined || header.length > LIMITS.webhookChainLength) return NO_CHAIN;
  const entries = header.split(',').map((entry) => entry.trim());
  let chain = NO_CHAIN;
  const foreign: string[] = [];
  for (const entry of entries) {
    const own = parseEntry(site, entry);
    if (own) chain = own;
    else if (/^\d{1,9}\.[\w.-]+$/.test(entry)) foreign.push(entry);
  }
  return { ...chain, foreign };
}

/** True when a delivery of the webhook would go on with a loop that this webhook is part of. */
export function continuesLoop(chain: DeliveryChain, webhook: string): boolean {
  return chain.depth > LIMITS.webhookChain && chain.webhooks.includes(idOf(webhook));
}

function parseEntry(site: ChainSite, entry: string): DeliveryChain | null {
  const [depth = '', ids = '', signature = '', ...rest] = entry.split('.');
  if (!/^\d{1,9}$/.test(depth) || ids.length % ID !== 0 || signature.length !== SIGNATURE || rest.length > 0)
    return null;
  const expected = Buffer.from(sign(site, `${depth}.${ids}`));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const webhooks = Array.from({ length: ids.length / ID }, (_, index) =>
    ids.slice(index * ID, (index + 1) * ID),
  );
  return { depth: Number(depth) + 1, webhooks, foreign: [] };
}

function idOf(webhook: string): string {
  return createHash('sha256').update(webhook).digest('base64url').slice(0, ID);
}

function sign({ secretKey }: ChainSite, told: string): string {
  return createHmac('sha256', derivedKey(secretKey, 'webhook chain'))
    .update(told)
    .digest('base64url')
    .slice(0, SIGNATURE);
}
