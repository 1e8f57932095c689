import { Recent } from '../../kernel/recent.ts';

/** The tokens left in a bucket, at a time in milliseconds. */
interface Bucket {
  tokens: number;
  at: number;
}

/** A quota: a number of tokens, which refill evenly over `window` seconds. */
export interface Quota {
  /** Its name in headers. */
  readonly name: string;
  readonly limit: number;
  readonly window: number;
}

/**
 * Token buckets by key, never more than `2 * capacity` of them: when that many keys are new, the least
 * recently used half is dropped, and a dropped key starts with a full bucket. In memory: each node has its
 * own, and its workers count together (`shared-quotas.ts`).
 */
export class Buckets {
  readonly quota: Quota;
  readonly #perMilli: number;
  readonly #policy: string;
  readonly #buckets: Recent<Bucket>;
  #spent: Map<string, number> | null = null;

  constructor(quota: Quota, capacity: number) {
    this.quota = quota;
    this.#perMilli = quota.limit / (quota.window * 1000);
    this.#buckets = new Recent(capacity);
    this.#policy = `"${quota.name}";q=${quota.limit};w=${quota.window}`;
  }

  /**
   * Takes `cost` tokens and returns the rest, or takes none and returns -1. A cost above the capacity takes a
   * full bucket.
   */
  take(key: string, cost: number, now: number): number {
    const bucket = this.#filled(key, now);
    const price = Math.min(cost, this.quota.limit);
    if (bucket.tokens < price) return -1;
    bucket.tokens -= price;
    this.#note(key, price);
    return bucket.tokens;
  }

  /** Takes `cost` tokens, or the rest of them; true when there were enough. */
  fine(key: string, cost: number, now: number): boolean {
    const bucket = this.#filled(key, now);
    const covered = bucket.tokens >= Math.min(cost, this.quota.limit);
    bucket.tokens = Math.max(0, bucket.tokens - cost);
    this.#note(key, cost);
    return covered;
  }

  /** Takes `cost` tokens that were spent elsewhere, or the rest of them. */
  charge(key: string, cost: number, now: number): void {
    const bucket = this.#filled(key, now);
    bucket.tokens = Math.max(0, bucket.tokens - cost);
  }

  /** From now on, notes what is spent, for `takeSpending`. */
  noteSpending(): void {
    this.#spent ??= new Map();
  }

  /** What each key has spent since the last call. */
  takeSpending(): (readonly [key: string, cost: number])[] {
    const spent = [...(this.#spent ?? [])];
    this.#spent?.clear();
    return spent;
  }

  #note(key: string, cost: number): void {
    this.#spent?.set(key, (this.#spent.get(key) ?? 0) + cost);
  }

  /** Seconds until the bucket holds `cost` tokens, at least 1. */
  wait(key: string, cost: number, now: number): number {
    const missing = Math.min(cost, this.quota.limit) - this.#filled(key, now).tokens;
    return Math.max(1, Math.ceil(missing / this.#perMilli / 1000));
  }

  /** The headers that report the quota to clients. */
  headers(left: number): readonly (readonly [name: string, value: string])[] {
    const { name, limit } = this.quota;
    const whole = Math.floor(left);
    const reset = Math.ceil((limit - left) / this.#perMilli / 1000);
    return [
      ['ratelimit-policy', this.#policy],
      ['ratelimit', `"${name}";r=${whole};t=${reset}`],
    ];
  }

  #filled(key: string, now: number): Bucket {
    const known = this.#buckets.get(key);
    if (known) return this.#refill(known, now);
    const bucket = { tokens: this.quota.limit, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #refill(bucket: Bucket, now: number): Bucket {
    bucket.tokens = Math.min(this.quota.limit, bucket.tokens + (now - bucket.at) * this.#perMilli);
    bucket.at = now;
    return bucket;
  }
}
