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
    for (const webhook of webhooks) {
      const known = this.known(webhook);
      if (known) targets.set(webhook, known);
      else missing.push(webhook);
    }
    if (missing.length === 0) return targets;
    const [since, changes] = [performance.now(), this.#changes];
    const loaded = await loadTargets(this.#site, missing);
    if (this.#known.size > REMEMBERED) this.#known.clear();
    for (const webhook of missing) this.#known.delete(webhook);
    for (const [webhook, target] of loaded) {
      // What changed meanwhile may have been read before it did.
      if (changes === this.#changes) this.#known.set(webhook, { target, since });
      targets.set(webhook, target);
    }
    return targets;
  }

  forget(webhook: string): void {
    this.#changes += 1;
    this.#known.delete(webhook);
  }
}
