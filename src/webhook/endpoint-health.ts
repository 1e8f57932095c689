import { type Sql, sql } from '../db/sql.ts';
import type { Site } from '../document/context.ts';
import { nowMillis } from '../kernel/clock.ts';

/** Attempts that must have failed one after another before a webhook is disabled for failing long. */
const LEAST_FAILURES = 10;
const HOUR = 60 * 60_000;
/** Failing for so long, those in charge are told, once each; milliseconds. */
const NOTICES = [24 * HOUR, HOUR] as const;
/** Rows written in one transaction. */
const BATCH = 500;
/** Rows that were written by then may be seen only later; milliseconds. */
const OVERLAP = 10_000;

interface Health {
  failingSince: number | null;
  failures: number;
  pausedUntil: number | null;
  noticedAt: number | null;
}

/** What is to be done about a webhook whose attempts fail: disable it, or tell that they have failed for so many hours. */
export type Consequence = 'disable' | { readonly noticeHours: number } | null;

/** What other processes, or those before this one, found out. Times in milliseconds from now. */
export interface Learned {
  readonly webhook: string;
  /** The receiver asked to be left alone for so long; 0 when nothing is in the way any more. */
  readonly pausedFor: number;
}

/**
 * Since when the receivers of webhooks fail, and until when they asked to be left alone: kept over restarts, in few writes.
 * A webhook that works takes a look into a map, and nothing else.
 */
export class EndpointHealth {
  readonly #site: Site;
  readonly #known = new Map<string, Health>();
  readonly #dirty = new Set<string>();
  #seenUntil = Number.NEGATIVE_INFINITY;

  constructor(site: Site) {
    this.#site = site;
  }

  /** An attempt ended. `retryAfter`: the milliseconds that the receiver wants to be left alone. */
  note(webhook: string, well: boolean, retryAfter: number | null): Consequence {
    const known = this.#known.get(webhook);
    const now = nowMillis(this.#site.clock);
    const pausedUntil = retryAfter ? now + retryAfter : null;
    if (well && pausedUntil === null) {
      if (known) this.#recovered(webhook, known);
      return null;
    }
    const health = known ?? { failingSince: null, failures: 0, pausedUntil: null, noticedAt: null };
    this.#known.set(webhook, health);
    this.#dirty.add(webhook);
    health.pausedUntil = pausedUntil ?? health.pausedUntil;
    if (well) return null;
    health.failures += 1;
    health.failingSince ??= now;
    return this.#consequence(health, now);
  }

  /** Writes down what changed. To be called now and then, and at the end. */
  async flush(): Promise<void> {
    const names = [...this.#dirty].slice(0, BATCH);
    if (names.length === 0) return;
    const now = nowMillis(this.#site.clock);
    await this.#site.database.transaction(async (connection) => {
      for (const name of names) await connection.run(upsert(name, this.#known.get(name), now));
    });
    for (const name of names) {
      this.#dirty.delete(name);
      const health = this.#known.get(name);
      if (health?.failingSince === null && (health.pausedUntil ?? 0) <= now) this.#known.delete(name);
    }
  }

  /** Reads what was written since the last time, by whomever. */
  async learn(): Promise<readonly Learned[]> {
    const rows = await this.#site.database.reader.all(
      sql`select "webhook", "failing_since", "consecutive_failures", "paused_until", "noticed_at", "modified_at"
          from "_webhook_endpoint" where "modified_at" >= ${this.#since()}`,
    );
    const now = nowMillis(this.#site.clock);
    const learned: Learned[] = [];
    for (const row of rows) {
      const webhook = String(row['webhook']);
      const modified = Number(row['modified_at']);
      const isNew = modified > this.#seenUntil;
      this.#seenUntil = Math.max(this.#seenUntil, modified);
      if (this.#dirty.has(webhook)) continue;
      const wasKnown = this.#known.has(webhook);
      const health = {
        failingSince: numberOrNull(row['failing_since']),
        failures: Number(row['consecutive_failures']),
        pausedUntil: numberOrNull(row['paused_until']),
        noticedAt: numberOrNull(row['noticed_at']),
      };
      // Written down later than it is now, the clock having been set back since, it lasts no longer for that.
      const pausedFor = Math.max(0, (health.pausedUntil ?? 0) - Math.max(now, modified));
      if (health.failingSince === null && pausedFor === 0) this.#known.delete(webhook);
      else this.#known.set(webhook, health);
      if (isNew && (pausedFor > 0 || (wasKnown && health.failingSince === null)))
        learned.push({ webhook, pausedFor });
    }
    return learned;
  }

  /** The webhook changed in a way that makes what was known of its receiver void. */
  forget(webhook: string): void {
    this.#known.delete(webhook);
    this.#dirty.delete(webhook);
  }

  #since(): number {
    return this.#seenUntil === Number.NEGATIVE_INFINITY ? 0 : this.#seenUntil - OVERLAP;
  }

  #recovered(webhook: string, health: Health): void {
    if (health.failingSince === null) return;
    health.failingSince = null;
    health.failures = 0;
    health.noticedAt = null;
    this.#dirty.add(webhook);
  }

  #consequence(health: Health, now: number): Consequence {
    const failing = now - (health.failingSince ?? now);
    const { disableAfter } = this.#site.config.webhooks;
    if (disableAfter > 0 && failing >= disableAfter && health.failures >= LEAST_FAILURES) return 'disable';
    const notice = NOTICES.find((each) => failing >= each);
    if (notice === undefined || (health.noticedAt ?? 0) >= (health.failingSince ?? now) + notice) return null;
    health.noticedAt = now;
    return { noticeHours: notice / HOUR };
  }
}

/** Forgets how the receiver of a webhook behaved, in the transaction that changed or deleted it. */
export function resetEndpoint(webhook: string, now: number): Sql {
  return sql`update "_webhook_endpoint" set "failing_since" = null, "consecutive_failures" = 0, "paused_until" = null,
    "noticed_at" = null, "disabled_at" = null, "disabled_reason" = null, "modified_at" = ${now}
    where "webhook" = ${webhook}`;
}

function upsert(webhook: string, health: Health | undefined, now: number): Sql {
  const { failingSince = null, failures = 0, pausedUntil = null, noticedAt = null } = health ?? {};
  return sql`insert into "_webhook_endpoint" ("webhook", "failing_since", "consecutive_failures", "paused_until", "noticed_at", "modified_at")
    values (${webhook}, ${failingSince}, ${failures}, ${pausedUntil}, ${noticedAt}, ${now})
    on conflict ("webhook") do update set "failing_since" = excluded."failing_since",
      "consecutive_failures" = excluded."consecutive_failures", "paused_until" = excluded."paused_until",
      "noticed_at" = excluded."noticed_at", "modified_at" = excluded."modified_at"`;
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
