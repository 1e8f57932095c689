import type { Site } from '../../document/contract.ts';
import { Recent } from '../../kernel/recent.ts';
import { loadTargets, type WebhookTarget } from './targets.ts';

/** Another node may change a webhook without notifying us; milliseconds. */
const MAX_AGE = 500;
const REMEMBERED = 10_000;

interface CachedTarget {
  readonly target: WebhookTarget;
  readonly since: number;
}

/** A short-lived cache of the targets of webhooks. */
export class Targets {
  readonly #site: Site;
  readonly #known = new Recent<CachedTarget>(REMEMBERED);
  /** Reads in progress: many attempts ask when a cached target expires. */
  readonly #loading = new Map<string, Promise<ReadonlyMap<string, WebhookTarget>>>();
  #changes = 0;

  constructor(site: Site) {
    this.#site = site;
  }

  known(webhook: string): WebhookTarget | undefined {
    const known = this.#known.get(webhook);
    return known && performance.now() - known.since < MAX_AGE ? known.target : undefined;
  }

  /** Loads the enabled ones among these webhooks. */
  async load(webhooks: readonly string[]): Promise<ReadonlyMap<string, WebhookTarget>> {
    const targets = new Map<string, WebhookTarget>();
    const missing: string[] = [];
    const awaited = new Set<Promise<ReadonlyMap<string, WebhookTarget>>>();
    for (const webhook of webhooks) {
      const known = this.known(webhook);
      const loading = this.#loading.get(webhook);
      if (known) targets.set(webhook, known);
      else if (loading) awaited.add(loading);
      else missing.push(webhook);
    }
    if (missing.length > 0) awaited.add(this.#read(missing));
    for (const loaded of await Promise.all(awaited)) {
      for (const webhook of webhooks) {
        const target = loaded.get(webhook);
        if (target) targets.set(webhook, target);
      }
    }
    return targets;
  }

  #read(webhooks: readonly string[]): Promise<ReadonlyMap<string, WebhookTarget>> {
    const [since, changes] = [performance.now(), this.#changes];
    const loading = loadTargets(this.#site, webhooks)
      .then((loaded) => {
        // A webhook that changed meanwhile may have been read in its former state.
        if (changes !== this.#changes) return loaded;
        for (const webhook of webhooks) this.#known.delete(webhook);
        for (const [webhook, target] of loaded) this.#known.set(webhook, { target, since });
        return loaded;
      })
      .finally(() => {
        for (const webhook of webhooks)
          if (this.#loading.get(webhook) === loading) this.#loading.delete(webhook);
      });
    for (const webhook of webhooks) this.#loading.set(webhook, loading);
    return loading;
  }

  forget(webhook: string): void {
    this.#changes += 1;
    this.#known.delete(webhook);
    this.#loading.delete(webhook);
  }
}
