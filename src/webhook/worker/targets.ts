import { loadSecret } from '../../access/secret.ts';
import type { Row } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { type TlsMaterial, tlsMaterial } from '../../net/tls-material.ts';
import { revealHeaders } from '../config/header-secrets.ts';
import { type StoredSigning, signingOf, storedSignings } from '../config/signing-secrets.ts';
import type { Rate } from '../flow/token-bucket.ts';
import { NO_CHAIN, renderChain } from '../match/delivery-chain.ts';
import { loadHeaders } from '../match/webhooks.ts';
import type { WebhookHeader } from '../send/header-rules.ts';
import type { RequestTarget } from '../send/request.ts';
import type { Signing } from '../send/sign.ts';

/** The webhook's settings for an attempt: its present state, not that of the event. */
export interface WebhookTarget extends RequestTarget {
  /** Retries after the first attempt. */
  readonly maxRetries: number;
  /** Null when a secret or a hidden header cannot be read. */
  readonly signing: Signing | null;
  /** The rate limit; null: as fast as the receiver. */
  readonly rate: Rate | null;
}

/** The committed state of the enabled ones among these webhooks. */
export async function loadTargets(
  site: Site,
  names: readonly string[],
): Promise<ReadonlyMap<string, WebhookTarget>> {
  const { reader } = site.database;
  const list = join(names.map((name) => sql`${name}`));
  const rows = await reader.all(
    sql`select "name", "timeout", "max_retries", "tls_authority", "tls_certificate", "hub_signature", "rate_limit", "rate_burst" from "Webhook" where "enabled" = 1 and "name" in (${list})`,
  );
  const [headers, secrets] = await Promise.all([loadHeaders(reader, list), storedSignings(reader, list)]);
  // In parallel: on PostgreSQL the hidden values of the few webhooks that have any are read at the same time.
  const targets = await Promise.all(
    rows.map(async (row): Promise<[string, WebhookTarget]> => {
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
): Promise<Pick<WebhookTarget, 'headers' | 'signing' | 'tls'>> {
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
  const key = certificate && (await loadSecret(site, reader, 'Webhook', String(row['name']), 'tls_key'));
  return tlsMaterial(authority, certificate, key ?? '');
}
