import type { Row } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import type { Site } from '../document/context.ts';
import { readSecret } from '../document/secret.ts';
import { NO_CHAIN, renderChain } from './delivery-chain.ts';
import type { Rate } from './flow/token-bucket.ts';
import { revealHeaders } from './header-secrets.ts';
import type { Signing } from './sign.ts';
import { type StoredSigning, signingOf, storedSignings } from './signing-secrets.ts';
import { type TlsMaterial, tlsMaterial } from './tls-material.ts';
import type { WebhookHeader } from './webhook-spec.ts';
import { loadHeaders } from './webhooks.ts';

/** What an attempt takes from its webhook as it is now, not as it was at the event. */
export interface Target {
  /** One attempt in all, milliseconds. */
  readonly timeout: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
  readonly headers: readonly WebhookHeader[];
  /** Null when a secret, or a hidden header, cannot be read. */
  readonly signing: Signing | null;
  /** How fast attempts may come; null: as fast as the receiver is. */
  readonly rate: Rate | null;
  /** What the webhook brings for TLS; absent or null: nothing. */
  readonly tls?: TlsMaterial | null;
  /** GitHub's signature is sent, too. */
  readonly hubSignature: boolean;
  /** `webhook-chain` of deliveries that no other led to. */
  readonly chain: string;
}

/** The committed state of the enabled ones among these webhooks. */
export async function loadTargets(
  site: Site,
  names: readonly string[],
): Promise<ReadonlyMap<string, Target>> {
  const { reader } = site.database;
  const list = join(names.map((name) => sql`${name}`));
  const rows = await reader.all(
    sql`select "name", "timeout", "max_retries", "tls_authority", "tls_certificate", "hub_signature", "rate_limit", "rate_burst" from "Webhook" where "enabled" = 1 and "name" in (${list})`,
  );
  const [headers, secrets] = await Promise.all([loadHeaders(reader, list), storedSignings(reader, list)]);
  // Side by side: on PostgreSQL what few webhooks hide besides is asked for without waiting for each other's answers.
  const targets = await Promise.all(
    rows.map(async (row): Promise<[string, Target]> => {
      const name = String(row['name']);
      const retries = Number(row['max_retries']);
      const target = {
        timeout: Math.min(60, Math.max(1, Number(row['timeout']))) * 1000,
        maxRetries: retries < 0 ? site.settings.webhookRetries : retries,
        rate: rateOf(Number(row['rate_limit']), Number(row['rate_burst'])),
        hubSignature: Number(row['hub_signature']) === 1,
        chain: renderChain(site, NO_CHAIN, name),
        ...(await hiddenOf(site, row, headers.get(name) ?? [], secrets.get(name))),
      };
      return [name, target];
    }),
  );
  return new Map(targets);
}

function rateOf(perMinute: number, burst: number): Rate | null {
  if (!(perMinute > 0)) return null;
  return { perMinute, burst: burst > 0 ? burst : Math.max(1, Math.ceil(perMinute / 60)) };
}

async function hiddenOf(
  site: Site,
  row: Row,
  stored: readonly WebhookHeader[],
  secrets: StoredSigning | undefined,
): Promise<Pick<Target, 'headers' | 'signing' | 'tls'>> {
  const name = String(row['name']);
  try {
    const signing = signingOf(site, name, secrets);
    return { signing, headers: await revealHeaders(site, name, stored), tls: await tlsOf(site, row) };
  } catch (error) {
    site.observe({ kind: 'unexpected', where: `secrets of webhook ${name}`, error });
    return { signing: null, headers: [] };
  }
}

async function tlsOf(site: Site, row: Row): Promise<TlsMaterial | null> {
  const [authority, certificate] = [String(row['tls_authority'] ?? ''), String(row['tls_certificate'] ?? '')];
  if (authority === '' && certificate === '') return null;
  const { reader } = site.database;
  const key = certificate && (await readSecret(site, reader, 'Webhook', String(row['name']), 'tls_key'));
  return tlsMaterial(authority, certificate, key ?? '');
}
