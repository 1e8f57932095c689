import { type Sql, type SqlValue, sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { waited } from '../../kernel/wait.ts';
import { revealHeaders } from '../../webhook/config/header-secrets.ts';
import { loadSigning } from '../../webhook/config/signing-secrets.ts';
import { loadHeaders } from '../../webhook/match/webhooks.ts';
import { isSensitive } from '../../webhook/send/header-rules.ts';
import { maskSecrets } from '../../webhook/send/mask-secrets.ts';
import { secretTexts } from '../../webhook/send/sign.ts';
import { writeSetting } from '../settings/settings-table.ts';

/** `_setting`: the last delivery that was checked, or `done`. */
const PROGRESS = 'responses_scrubbed';
const BATCH = 500;
/** Lets others write between two batches. Milliseconds. */
const PAUSE = 20;

/**
 * Masks credentials that receivers repeated in their responses, in deliveries and attempts logged before the
 * log masked responses. Runs once per site, in batches that continue after a restart, and reports the webhooks
 * whose credentials it found.
 */
export async function scrubResponses(site: Site, signal?: AbortSignal): Promise<void> {
  const { database } = site;
  const stored = await database.reader.get(sql`select "value" from "_setting" where "key" = ${PROGRESS}`);
  if (stored?.['value'] === 'done') return;
  const secrets = new Map<string, readonly string[]>();
  const found = new Set<string>();
  let last: number | null = Number(stored?.['value'] ?? 0);
  while (last !== null && !signal?.aborted) {
    last = await scrubBatch(site, last, secrets, found);
    await waited(PAUSE, signal);
  }
  for (const webhook of found) {
    const message = `Webhook ${webhook}: logged responses repeated its credentials and are masked now; replace the credentials`;
    site.observe({ kind: 'warning', message });
  }
}

/** Checks the deliveries after `last`. Resolves to the last of them, or null without any. */
async function scrubBatch(
  site: Site,
  last: number,
  secrets: Map<string, readonly string[]>,
  found: Set<string>,
): Promise<number | null> {
  const { database } = site;
  const deliveries = await database.reader.all(
    sql`select "id", "webhook", "error" from "_webhook_delivery" where "id" > ${last} order by "id" limit ${BATCH}`,
  );
  const end = deliveries.at(-1)?.['id'] ?? null;
  const attempts = await database.reader.all(
    sql`select "delivery", "n", "response", "response_headers", "error" from "_webhook_attempt"
        where "delivery" > ${last} and "delivery" <= ${end ?? last}`,
  );
  const webhooks = new Map(deliveries.map(({ id, webhook }) => [id, String(webhook)]));
  /** The texts of a row without credentials; null when there are none in them. */
  const scrubbed = async (webhook: string, texts: readonly (SqlValue | undefined)[]) => {
    const known = secrets.get(webhook) ?? (await secretsOf(site, webhook));
    secrets.set(webhook, known);
    const masked = texts.map((text) => (typeof text === 'string' ? maskSecrets(text, known, true) : null));
    if (masked.every((text, index) => text === (texts[index] ?? null))) return null;
    found.add(webhook);
    return masked;
  };
  const updates: Sql[] = [];
  for (const { id = null, webhook, error } of deliveries) {
    const masked = await scrubbed(String(webhook), [error]);
    if (!masked) continue;
    // Unless another attempt ended meanwhile.
    updates.push(sql`update "_webhook_delivery" set "error" = ${masked[0] ?? null}
      where "id" = ${id} and "error" = ${error ?? null}`);
  }
  for (const { delivery = null, n = null, ...texts } of attempts) {
    const { response, response_headers: headers, error } = texts;
    const masked = await scrubbed(webhooks.get(delivery) ?? '', [response, headers, error]);
    if (!masked) continue;
    updates.push(sql`update "_webhook_attempt" set "response" = ${masked[0] ?? null},
      "response_headers" = ${masked[1] ?? null}, "error" = ${masked[2] ?? null}
      where "delivery" = ${delivery} and "n" = ${n}`);
  }
  await database.transaction(async (connection) => {
    for (const update of updates) await connection.run(update);
    await writeSetting(connection, PROGRESS, end === null ? 'done' : String(end));
  });
  return end === null ? null : Number(end);
}

/**
 * The headers of the webhook that may hold credentials, and its signing secrets; none for a deleted webhook,
 * or one whose values cannot be read.
 */
async function secretsOf(site: Site, webhook: string): Promise<readonly string[]> {
  try {
    const stored = (await loadHeaders(site.database.reader, sql`${webhook}`)).get(webhook) ?? [];
    const headers = await revealHeaders(site, webhook, stored);
    const signing = await loadSigning(site, site.database.reader, webhook);
    const values = headers.filter(({ key }) => isSensitive(key)).map(({ value }) => value);
    return signing ? [...values, ...secretTexts(signing)] : values;
  } catch (error) {
    site.observe({ kind: 'unexpected', where: `secrets of webhook ${webhook}`, error });
    return [];
  }
}
