import type { Site } from '../document/context.ts';
import { loadTargets, type Target } from './targets.ts';

/** Another node may change a webhook without our hearing of it; milliseconds. */
const MAX_AGE = 500;
const REMEMBERED = 20_000;

interface Known {
  readonly target: Target;
  readonly since: number;
}

/** Remembers for a moment what attempts take from their webhooks. */
export class Targets {
  readonly #site: Site;
  readonly #known = new Map<string, Known>();
  /** What is being read: many attempts ask at the moment at which what is known grew old. */
  readonly #loading = new Map<string, Promise<ReadonlyMap<string, Target>>>();
  #changes = 0;

  constructor(site: Site) {
    this.#site = site;
  }

  known(webhook: string): Target | undefined {
    const known = this.#known.get(webhook);
    return known && performance.now() - known.since < MAX_AGE ? known.target : undefined;
  }

  /** Of the enabled ones among these. */
  async load(webhooks: readonly string[]): Promise<ReadonlyMap<string, Target>> {
    const targets = new Map<string, Target>();
    const missing: string[] = [];
    const awaited = new Set<Promise<ReadonlyMap<string, Target>>>();
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

  #read(webhooks: readonly string[]): Promise<ReadonlyMap<string, Target>> {
    const [since, changes] = [performance.now(), this.#changes];
    const loading = loadTargets(this.#site, webhooks)
      .then((loaded) => {
        // What changed meanwhile may have been read before it did.
        if (changes !== this.#changes) return loaded;
        if (this.#known.size > REMEMBERED) this.#known.clear();
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
