import { type Sql, sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';

/** Consecutive failures before a long-failing webhook is disabled. */
const LEAST_FAILURES = 10;
const HOUR = 60 * 60_000;
/** Failing for this long is reported to the administrators, once each; milliseconds. */
const NOTICES = [24 * HOUR, HOUR] as const;
/** Rows per transaction. */
const BATCH = 500;
/** Rows written by then may become visible later; milliseconds. */
const OVERLAP = 10_000;

interface Health {
  failingSince: number | null;
  failures: number;
  pausedUntil: number | null;
  /** The time of the next probe, while the breaker is open. */
  probeAt: number | null;
  noticedAt: number | null;
}

/** The action for a failing webhook: disable it, or report that it has failed for this many hours. */
export type Consequence = 'disable' | { readonly noticeHours: number } | null;

/** What other or earlier processes found out. Times in milliseconds from now. */
export interface Learned {
  readonly webhook: string;
  /** The remaining pause that the receiver asked for; 0 when there is none. */
  readonly pausedFor: number;
  /** A process has paused it because it fails. */
  readonly isResting: boolean;
}

/**
 * Records since when receivers fail, and until when they asked for a pause. Survives restarts, with few
 * writes. A healthy webhook costs one map lookup.
 */
export class EndpointHealth {
  readonly #site: Site;
  readonly #known = new Map<string, Health>();
  readonly #dirty = new Set<string>();
  #seenUntil = Number.NEGATIVE_INFINITY;
  /** The rows that were last read, by webhook: when they were written, by the clock of their process. */
  #seen: ReadonlyMap<string, number> = new Map();

  constructor(site: Site) {
    this.#site = site;
  }

  /**
   * Records the end of an attempt. Milliseconds: `retryAfter` is the pause that the receiver asked for,
   * `probeIn` the time until the next probe of an open breaker, 0 while it is closed.
   */
  note(webhook: string, well: boolean, retryAfter: number | null, probeIn: number): Consequence {
    const known = this.#known.get(webhook);
    const now = nowMillis(this.#site.clock);
    const pausedUntil = retryAfter ? now + retryAfter : null;
    if (well && pausedUntil === null) {
      if (known) this.#recovered(webhook, known);
      return null;
    }
    const health = known ?? {
      failingSince: null,
      failures: 0,
      pausedUntil: null,
      probeAt: null,
      noticedAt: null,
    };
    this.#known.set(webhook, health);
    this.#dirty.add(webhook);
    health.pausedUntil = pausedUntil ?? health.pausedUntil;
    health.probeAt = probeIn > 0 ? now + Math.ceil(probeIn) : null;
    if (well) return null;
    health.failures += 1;
    health.failingSince ??= now;
    return this.#consequence(health, now);
  }

  /** Writes the changes. Call it regularly, and at shutdown. */
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

  /**
   * False when `learn` would find nothing new. `at`: the newest change of any process, milliseconds since the epoch;
   * null where that is not known.
   */
  mayHaveChanged(at: number | null): boolean {
    return at === null || at > Math.max(0, this.#seenUntil) || at > nowMillis(this.#site.clock) - OVERLAP;
  }

  /** Reads the changes of all processes since the last call. */
  async learn(): Promise<readonly Learned[]> {
    const rows = await this.#site.database.reader.all(
      sql`select "webhook", "failing_since", "consecutive_failures", "paused_until", "breaker_until", "noticed_at", "modified_at"
          from "_webhook_endpoint" where "modified_at" >= ${this.#since()}`,
    );
    const now = nowMillis(this.#site.clock);
    const learned: Learned[] = [];
    const seen = new Map<string, number>();
    for (const row of rows) {
      const webhook = String(row['webhook']);
      const modified = Number(row['modified_at']);
      // The clocks of the processes differ, so another row with a later time tells nothing of this one.
      const isNew = this.#seen.get(webhook) !== modified;
      seen.set(webhook, modified);
      this.#seenUntil = Math.max(this.#seenUntil, modified);
      const wasKnown = this.#known.has(webhook);
      const health = {
        failingSince: numberOrNull(row['failing_since']),
        failures: Number(row['consecutive_failures']),
        pausedUntil: numberOrNull(row['paused_until']),
        probeAt: numberOrNull(row['breaker_until']) || null,
        noticedAt: numberOrNull(row['noticed_at']),
      };
      // If the clock was set back since a row was written, the pause must not become longer.
      const pausedFor = Math.max(0, (health.pausedUntil ?? 0) - Math.max(now, modified));
      const isResting = health.probeAt !== null && health.probeAt > now;
      const isWell = health.failingSince === null && pausedFor === 0;
      const isOwnNewer = this.#dirty.has(webhook);
      if (!isOwnNewer) {
        if (isWell) this.#known.delete(webhook);
        else this.#known.set(webhook, health);
      }
      const hasRecovered = isWell && wasKnown && !isOwnNewer;
      if (isNew && (pausedFor > 0 || isResting || hasRecovered))
        learned.push({ webhook, pausedFor, isResting });
    }
    this.#seen = seen;
    return learned;
  }

  /** The webhook changed so that the known health of its receiver is void. */
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
    health.probeAt = null;
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

function upsert(webhook: string, health: Health | undefined, now: number): Sql {
  const {
    failingSince = null,
    failures = 0,
    pausedUntil = null,
    probeAt = null,
    noticedAt = null,
  } = health ?? {};
  return sql`insert into "_webhook_endpoint"
    ("webhook", "failing_since", "consecutive_failures", "paused_until", "breaker_until", "noticed_at", "modified_at")
    values (${webhook}, ${failingSince}, ${failures}, ${pausedUntil}, ${probeAt ?? 0}, ${noticedAt}, ${now})
    on conflict ("webhook") do update set "failing_since" = excluded."failing_since",
      "consecutive_failures" = excluded."consecutive_failures",
      "paused_until" = case when "_webhook_endpoint"."paused_until" > coalesce(excluded."paused_until", 0)
        then "_webhook_endpoint"."paused_until" else excluded."paused_until" end,
      "breaker_until" = excluded."breaker_until", "noticed_at" = excluded."noticed_at", "modified_at" = excluded."modified_at"`;
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
