import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Site } from '../../document/contract.ts';
import { derivedKey } from '../../kernel/derived-key.ts';
import { LIMITS } from '../../kernel/limits.ts';

/** The chain of deliveries behind a change: each led its receiver to make the change that caused the next. */
export interface DeliveryChain {
  /** The number of deliveries. */
  readonly depth: number;
  /** Identifiers of their webhooks, each once, the latest last. */
  readonly webhooks: readonly string[];
  /** Chains of other servers, passed on unchanged. */
  readonly foreign: readonly string[];
}

export const NO_CHAIN: DeliveryChain = { depth: 0, webhooks: [], foreign: [] };

type ChainSite = Pick<Site, 'secretKey'>;

/** Characters of a webhook's identifier and of a signature, in base64url. */
const ID = 8;
const SIGNATURE = 22;

/**
 * The header `webhook-chain` of a delivery: `<depth>.<webhooks>.<signature>`, followed by the chains of other
 * servers, each after a comma. The signature proves that this site sent such a delivery, so a client cannot
 * forge a chain.
 */
export function renderChain(site: ChainSite, chain: DeliveryChain, webhook: string): string {
  const own = idOf(webhook);
  const ids = [...chain.webhooks.filter((id) => id !== own), own].slice(-LIMITS.webhookChainMembers);
  const told = `${chain.depth}.${ids.join('')}`;
  return [`${told}.${sign(site, told)}`, ...chain.foreign].join(', ');
}

/**
 * The chain of a change, from the `header` of its request. Ignores parts without a valid signature of this
 * site.
 */
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

/** True when a delivery of the webhook would continue a loop that contains this webhook. */
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
