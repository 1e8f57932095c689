import { Recent } from '../../kernel/recent.ts';

const REMEMBERED = 50_000;

/**
 * Assigns webhooks to processes: each has its home with the live process for which the hash of the two names
 * is highest. When a process comes or goes, only its own webhooks move.
 */
export class Homes {
  readonly #node: string;
  #nodes: readonly string[] = [];
  /** Cached answers, valid until the set of processes changes. */
  readonly #known = new Recent<boolean>(REMEMBERED);

  constructor(node: string) {
    this.#node = node;
  }

  /** Sets the live processes. This one always counts as live. */
  update(nodes: readonly string[]): void {
    const all = [...new Set([...nodes, this.#node])].sort();
    if (all.join('\n') === this.#nodes.join('\n')) return;
    this.#nodes = all;
    this.#known.clear();
  }

  isHere(webhook: string): boolean {
    if (this.#nodes.length < 2) return true;
    let here = this.#known.get(webhook);
    if (here === undefined) {
      here = this.#homeOf(webhook) === this.#node;
      this.#known.set(webhook, here);
    }
    return here;
  }

  #homeOf(webhook: string): string {
    let [home, highest] = ['', -1];
    for (const node of this.#nodes) {
      const value = hash(`${node}\n${webhook}`);
      if (value > highest) [home, highest] = [node, value];
    }
    return home;
  }
}

/**
 * FNV-1a with a final mix. Without it all names that differ only at the end would prefer the same process.
 */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
