import type { Client, ClientConfig } from 'pg';
import { ReadOnlyServer } from '../driver-errors.ts';

/** The pause between two questions to a host; milliseconds. */
const PAUSE = 200;
/** Milliseconds that one host may take to answer a question. */
const PATIENCE = 5_000;

/** A connection that a host may be asked to drop. */
interface Held {
  readonly place: number;
  drop(error: Error): void;
}

/**
 * The hosts of a database URL. One of them accepts changes, and its standbys do not. All connections lead to
 * that one. When it is lost, the others are asked until one of them has been promoted; what still leads
 * elsewhere is dropped.
 */
export class Hosts {
  readonly #urls: readonly string[];
  readonly #connect: (config: ClientConfig) => Client;
  readonly #held = new Set<Held>();
  #current = 0;
  #searching = false;
  #closed = false;
  /**
   * False behind a pooler: what it tells of the server is from another connection, and may be old.
   */
  isTold = false;

  /** `urls`: one for each host. `connect` makes a plain client. */
  constructor(urls: readonly string[], connect: (config: ClientConfig) => Client) {
    this.#urls = urls;
    this.#connect = connect;
  }

  /** The place of the host that new connections lead to. */
  get current(): number {
    return this.#current;
  }

  /** The URL of a place. */
  url(place: number): string {
    return this.#urls[place] ?? '';
  }

  /** Holds a connection until the returned function is called. */
  hold(held: Held): () => void {
    this.#held.add(held);
    return () => this.#held.delete(held);
  }

  /** A connection to this place failed. */
  lost(place: number): void {
    if (place !== this.#current || this.#urls.length < 2 || this.#searching || this.#closed) return;
    this.#searching = true;
    void this.#search();
  }

  /** Looks once for the host that accepts changes. @throws Error with what each of them said */
  async find(): Promise<void> {
    if (this.#urls.length < 2) return;
    const places = this.#urls.map((_, place) => this.#ask(place));
    try {
      this.#moveTo(await Promise.any(places));
    } catch (error) {
      const each = error instanceof AggregateError ? error.errors : [error];
      const words = each.map((one, place) => `${new URL(this.url(place)).host}: ${wordsOf(one)}`);
      throw new Error(`none of the hosts accepts changes (${words.join('; ')})`, { cause: error });
    }
  }

  /**
   * Opens a connection to the current host, which may be silent, and closes it. Meanwhile looks whether another one
   * was promoted: the wait for the silent one would be longer.
   */
  async reach(config: ClientConfig): Promise<void> {
    this.lost(this.#current);
    const client = this.#connect({ ...config, connectionString: this.url(this.#current) });
    client.on('error', () => {});
    await client.connect();
    // Nobody waits for the end: the server may fall silent again.
    client.end().catch(() => {});
  }

  close(): void {
    this.#closed = true;
  }

  async #search(): Promise<void> {
    let isOver = false;
    // Each host at its own pace: one that is silent must not hold up the others.
    const places = this.#urls.map((_, place) => this.#promoted(place, () => isOver));
    const found = await Promise.any(places).catch(() => null);
    isOver = true;
    this.#searching = false;
    if (found !== null) this.#moveTo(found);
  }

  /** Asks a host until it accepts changes. Rejects when nobody needs to know it any more. */
  async #promoted(place: number, isOver: () => boolean): Promise<number> {
    for (;;) {
      try {
        return await this.#ask(place);
      } catch (error) {
        if (this.#closed || isOver()) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE).unref());
      }
    }
  }

  #moveTo(place: number): void {
    this.#current = place;
    for (const held of this.#held)
      if (held.place !== place)
        held.drop(new Error('Connection terminated: another server is the primary now'));
  }

  /** Resolves to the place when it accepts changes. */
  async #ask(place: number): Promise<number> {
    const client = this.#connect({
      connectionString: this.url(place),
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await requireWritable(client);
      return place;
    } finally {
      client.end().catch(() => {});
    }
  }
}

const READ_ONLY = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as closed`;

/** @throws ReadOnlyServer for a standby, and for a server whose transactions are read-only */
export async function requireWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean | 0 | 1; closed: boolean | 0 | 1 }>(READ_ONLY);
  if (rows[0]?.standby) throw new ReadOnlyServer('it is a standby, which accepts no changes');
  if (rows[0]?.closed) throw new ReadOnlyServer('its transactions are read-only');
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
