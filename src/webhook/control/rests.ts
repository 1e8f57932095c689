import type { Row } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { urlOrigin } from '../queue/outbox.ts';

/**
 * The webhooks whose receivers get no attempt now, with the time of the next one, in milliseconds since the
 * epoch: the later of the breaker's probe and the pause that the receiver asked for. A breaker is about an
 * origin, so all webhooks of it rest, whichever of them failed; the last report of any of them counts.
 */
export async function restingWebhooks(
  { database }: Pick<Site, 'database'>,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.reader.all(
    sql`select w."name", w."request_url", e."paused_until", e."breaker_until"
        from "Webhook" w left join "_webhook_endpoint" e on e."webhook" = w."name"
        order by e."modified_at", e."breaker_until"`,
  );
  const probes = new Map<string, number>();
  for (const row of rows) {
    if (row['breaker_until'] !== null) probes.set(receiverOf(row), Number(row['breaker_until']));
  }
  return new Map(
    rows
      .map((row) => {
        const until = Math.max(Number(row['paused_until'] ?? 0), probes.get(receiverOf(row)) ?? 0);
        return [String(row['name']), until] as const;
      })
      .filter(([, until]) => until > now),
  );
}

// The host of a dynamic address may be unknown.
function receiverOf(row: Row): string {
  return urlOrigin(String(row['request_url'])) ?? `webhook ${row['name']}`;
}
