import type { Duplex } from 'node:stream';
import { LIMITS } from '../../kernel/limits.ts';

/** Milliseconds between two looks. */
const LOOK = 500;

/** The parts of the driver's client that say whether the server owes it an answer. */
export interface Awaiting {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Duplex };
  once(event: 'end', listener: () => void): unknown;
}

/**
 * Notices that the database has fallen silent: its process is frozen, or the network drops everything. The
 * operating system still accepts what is sent, so nobody is told. When no connection has got any byte for
 * `LIMITS.databaseSilence` although some wait, and a new one is not accepted either, it breaks all that wait: then
 * requests end with 503 and not after the longest time that a statement may take. It goes on trying with connections
 * of its own, since it breaks all others before a busy server accepts them.
 */
export class Silence {
  readonly #connect: () => Promise<void>;
  /** Clients, with the time since which each waits. By `performance.now()`. */
  readonly #clients = new Map<Awaiting, number>();
  #heardAt = 0;
  /** The time since which the database is silent; null while it answers. */
  #since: number | null = null;
  #isTrying = false;
  readonly #looking: NodeJS.Timeout;

  /**
   * `connect`: opens and closes a connection that is not watched. Rejects with a text that contains "timeout" when
   * nothing answers within the time that a connection may take.
   */
  constructor(connect: () => Promise<void>) {
    this.#connect = connect;
    this.#looking = setInterval(() => this.#look(), LOOK).unref();
  }

  watch(client: Awaiting): void {
    this.#clients.set(client, performance.now());
    client.once('end', () => this.#clients.delete(client));
  }

  /** A client got some bytes. */
  heard(): void {
    this.#heardAt = performance.now();
    this.#since = null;
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    const now = performance.now();
    for (const client of this.#clients.keys()) if (client.readyForQuery) this.#clients.set(client, now);
    if (this.#since !== null) this.#breakThose(now - LOOK);
    if (!this.#isTrying && (this.#since !== null || this.#isQuiet(now))) void this.#try(now);
  }

  /** Nothing was heard for long, although some wait. */
  #isQuiet(now: number): boolean {
    const long = now - LIMITS.databaseSilence;
    return this.#heardAt <= long && Math.min(...this.#clients.values()) <= long;
  }

  async #try(begun: number): Promise<void> {
    this.#isTrying = true;
    // Any other error is an answer.
    const answers = await this.#connect().then(
      () => true,
      (error: unknown) => !/timeout/i.test(String(error)),
    );
    this.#isTrying = false;
    // Then nobody tries again for a while, however long the statements take. What arrived while this process was late
    // has been read meanwhile.
    if (answers || this.#heardAt > begun) return this.heard();
    this.#since ??= performance.now();
    this.#breakThose(this.#since);
  }

  /** Breaks the connections that wait since this time. */
  #breakThose(since: number): void {
    for (const [client, waits] of this.#clients) if (waits <= since) client.connection.stream.destroy();
  }
}
