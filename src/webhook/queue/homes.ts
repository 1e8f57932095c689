import { hash as digest } from 'node:crypto';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import { TEND } from './queue.ts';

const REMEMBERED = 50_000;
/** The home of a webhook waits for so long until all others know that they send a share of it; milliseconds. */
const TOLD = 2 * TEND;

/** A live process, as its heartbeat tells. */
export interface Peer {
  readonly node: string;
  /** Webhooks at home there with a fast receiver; null from a version that knows only homes. */
  readonly fast: readonly string[] | null;
}

/** The documents that a process sends of a webhook: those whose slot, divided by `of`, leaves `place`. */
export interface Share {
  readonly of: number;
  readonly place: number;
}

const ALL: Share = { of: 1, place: 0 };

/**
 * Divides the deliveries among the processes. A webhook has its home with the live process for which the hash of
 * the two names is highest. Its documents are spread over all processes by the slot of their order key while the home
 * reports a fast receiver, and no process has an older version. Otherwise the home sends them all.
 */
export class Homes {
  readonly #node: string;
  readonly #now: () => number;
  /** In order of their names. */
  #nodes: readonly string[];
  #olderNode = false;
  /** The homes of webhooks, valid until the set of processes changes. */
  readonly #homes = new Recent<string>(REMEMBERED);
  /** The spread webhooks, and since when this process knows. */
  #spread: ReadonlyMap<string, number> = new Map();

  constructor(node: string, now: () => number = () => performance.now()) {
    this.#node = node;
    this.#now = now;
    this.#nodes = [node];
  }

  /** The number of live processes. */
  get size(): number {
    return this.#nodes.length;
  }

  /** An older process hears only notices to all. */
  get hasOlderNode(): boolean {
    return this.#olderNode;
  }

  /** Sets the live processes. This one always counts as live. */
  update(peers: readonly Peer[]): void {
    const nodes = [...new Set([...peers.map(({ node }) => node), this.#node])].sort();
    if (nodes.join('\n') !== this.#nodes.join('\n')) this.#homes.clear();
    this.#nodes = nodes;
    this.#olderNode = peers.some(({ fast }) => fast === null);
    const spread = this.#olderNode || this.size < 2 ? [] : peers.flatMap((peer) => this.#spreadBy(peer));
    const now = this.#now();
    this.#spread = new Map(spread.map((webhook) => [webhook, this.#spread.get(webhook) ?? now]));
  }

  isHome(webhook: string): boolean {
    return this.#homeOf(webhook) === this.#node;
  }

  /** True when several processes send the webhook's documents, as far as this one knows. */
  isSpread(webhook: string): boolean {
    const since = this.#spread.get(webhook);
    return since !== undefined && !(this.isHome(webhook) && this.#now() - since < TOLD);
  }

  /** The share of this process; null: none. `isUndivided`: the home sends all, whatever its receiver's speed. */
  shareOf(webhook: string, isUndivided = false): Share | null {
    if (isUndivided || !this.isSpread(webhook)) return this.isHome(webhook) ? ALL : null;
    const place = (this.#nodes.indexOf(this.#node) + hash(webhook)) % this.size;
    return place < this.#senders ? { of: this.#senders, place } : null;
  }

  /** The process that sends the webhook's deliveries with this order key. */
  senderOf(webhook: string, orderKey: string): string {
    if (!this.isSpread(webhook)) return this.#homeOf(webhook);
    const place = slotOf(orderKey) % this.#senders;
    return this.#nodes[(place - (hash(webhook) % this.size) + this.size) % this.size] ?? this.#node;
  }

  /** Processes among which the documents of a webhook are spread: each may have an attempt in flight. */
  get #senders(): number {
    return Math.min(this.size, LIMITS.deliveriesPerOrigin);
  }

  #spreadBy({ node, fast }: Peer): readonly string[] {
    return fast?.filter((webhook) => this.#homeOf(webhook) === node) ?? [];
  }

  #homeOf(webhook: string): string {
    if (this.size < 2) return this.#node;
    let home = this.#homes.get(webhook);
    if (home === undefined) {
      home = highest(this.#nodes, webhook);
      this.#homes.set(webhook, home);
    }
    return home;
  }
}

function highest(nodes: readonly string[], webhook: string): string {
  let [home, most] = ['', -1];
  for (const node of nodes) {
    const value = hash(`${node}\n${webhook}`);
    if (value > most) [home, most] = [node, value];
  }
  return home;
}

/** A number below 256 by which documents are spread. `SLOT` of the statements is the same in SQL. */
function slotOf(orderKey: string): number {
  return digest('sha256', orderKey, 'buffer')[0] ?? 0;
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
