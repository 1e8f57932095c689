import { type Sql, sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { waited } from '../../kernel/wait.ts';
import { revealHeaders } from '../../webhook/config/header-secrets.ts';
import { loadHeaders } from '../../webhook/match/webhooks.ts';
import { isSensitive } from '../../webhook/send/header-rules.ts';
import { maskSecrets } from '../../webhook/send/mask-secrets.ts';
import { writeSetting } from '../settings/settings-table.ts';

/** `_setting`: the last delivery that was checked, or `done`. */
const PROGRESS = 'responses_scrubbed';
const BATCH = 500;
/** Lets others write between two batches. Milliseconds. */
const PAUSE = 20;

/**
 * Masks credentials that receivers repeated in their responses, in attempts logged before the log masked
 * responses. Runs once per site, in batches that continue after a restart, and reports the webhooks whose
 * credentials it found.
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
    sql`select "id", "webhook" from "_webhook_delivery" where "id" > ${last} order by "id" limit ${BATCH}`,
  );
  const end = deliveries.at(-1)?.['id'] ?? null;
  const attempts = await database.reader.all(
    sql`select "delivery", "n", "response", "response_headers", "error" from "_webhook_attempt"
        where "delivery" > ${last} and "delivery" <= ${end ?? last}`,
  );
  const webhooks = new Map(deliveries.map(({ id, webhook }) => [id, String(webhook)]));
  const updates: Sql[] = [];
  for (const attempt of attempts) {
    const webhook = webhooks.get(attempt['delivery'] ?? null) ?? '';
    if (!secrets.has(webhook)) secrets.set(webhook, await secretsOf(site, webhook));
    const known = secrets.get(webhook) ?? [];
    const columns = ['response', 'response_headers', 'error'].map((column) => attempt[column] ?? null);
    const masked = columns.map((text) => (text === null ? null : maskSecrets(String(text), known, true)));
    if (masked.every((text, index) => text === columns[index])) continue;
    const [response, headers, error] = masked as [string | null, string | null, string | null];
    found.add(webhook);
    updates.push(sql`update "_webhook_attempt" set "response" = ${response}, "response_headers" = ${headers}, "error" = ${error}
      where "delivery" = ${attempt['delivery'] ?? null} and "n" = ${attempt['n'] ?? null}`);
  }
  await database.transaction(async (connection) => {
    for (const update of updates) await connection.run(update);
    await writeSetting(connection, PROGRESS, end === null ? 'done' : String(end));
  });
  return end === null ? null : Number(end);
}

/**
 * The headers of the webhook that may hold credentials; none for a deleted webhook, or one whose values
 * cannot be read.
 */
async function secretsOf(site: Site, webhook: string): Promise<readonly string[]> {
  try {
    const stored = (await loadHeaders(site.database.reader, sql`${webhook}`)).get(webhook) ?? [];
    const headers = await revealHeaders(site, webhook, stored);
    return headers.filter(({ key }) => isSensitive(key)).map(({ value }) => value);
  } catch (error) {
    site.observe({ kind: 'unexpected', where: `secrets of webhook ${webhook}`, error });
    return [];
  }
}
