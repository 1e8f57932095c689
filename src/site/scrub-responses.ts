import { type Sql, sql } from '../db/sql.ts';
import type { Site } from '../document/context.ts';
import { waited } from '../kernel/wait.ts';
import { isSensitive } from '../webhook/header-rules.ts';
import { revealHeaders } from '../webhook/header-secrets.ts';
import { maskSecrets } from '../webhook/mask-secrets.ts';
import { loadHeaders } from '../webhook/webhooks.ts';
import { writeSetting } from './settings-table.ts';

/** `_setting`: the last delivery that was looked at, or `done`. */
const PROGRESS = 'responses_scrubbed';
const BATCH = 500;
/** Between two batches others write. Milliseconds. */
const PAUSE = 20;

/**
 * Masks the credentials that receivers repeated in responses, in attempts that were logged before responses were masked.
 * Runs once for each site, in batches that go on after a restart, and warns of the webhooks whose credentials it found.
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

/** Looks at the deliveries behind `last`. Resolves to the last of them, or null when there were none. */
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

/** What the webhook sends in headers that may be credentials; none for a webhook that is gone, or whose values cannot be read. */
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
