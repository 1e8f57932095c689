/**
 * Which webhooks are this process's to deliver: each is at home with one of the live processes, the one with the highest hash of the two
 * names. When one comes or goes only its own webhooks move.
 */
export class Homes {
  readonly #node: string;
  #nodes: readonly string[] = [];
  /** Answers of before, until the processes change. */
  #known = new Map<string, boolean>();

  constructor(node: string) {
    this.#node = node;
  }

  /** The processes that live, as far as is known; this one does in any case. */
  update(nodes: readonly string[]): void {
    const all = [...new Set([...nodes, this.#node])].sort();
    if (all.join('\n') === this.#nodes.join('\n')) return;
    this.#nodes = all;
    this.#known = new Map();
  }

  isHere(webhook: string): boolean {
    if (this.#nodes.length < 2) return true;
    let here = this.#known.get(webhook);
    if (here === undefined) {
      here = this.#homeOf(webhook) === this.#node;
      if (this.#known.size >= REMEMBERED) this.#known.clear();
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

const REMEMBERED = 100_000;

/** FNV-1a with a last stir, without which names that differ at the end alone would all prefer one process. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
