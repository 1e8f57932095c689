import type { Client } from 'pg';
import type { Connection, Notices } from '../database.ts';
import { quote } from '../ddl.ts';

/** The shortest interval between two notices; milliseconds. */
const GATHER = 10;
/** The pause between a lost connection and the first retry; milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/**
 * Sends notices to other processes on the same database with NOTIFY, outside transactions (inside, their
 * commits would wait for each other). A notice may get lost silently, for example behind a pooler, so
 * listeners also poll.
 */
export class PostgresNotices implements Notices {
  readonly #newClient: (() => Client) | null;
  readonly #sender: Connection;
  readonly #channel: string;
  readonly #listeners = new Set<(sender: string) => void>();
  #client: Client | null = null;
  #pause = FIRST_PAUSE;
  #retry: NodeJS.Timeout | null = null;
  #sending: NodeJS.Timeout | null = null;
  #closed = false;

  /** `schema` separates the notices of sites in one database. Without `newClient`, nothing is heard. */
  constructor(newClient: (() => Client) | null, sender: Connection, schema: string | null) {
    this.#newClient = newClient;
    this.#sender = sender;
    this.#channel = `chancery ${schema ?? ''}`.slice(0, 63);
  }

  send(sender: string): void {
    if (this.#closed) return;
    this.#sending ??= setTimeout(() => {
      this.#sending = null;
      this.#sender.get({ text: 'select pg_notify($1, $2)', values: [this.#channel, sender] }).catch(() => {});
    }, GATHER);
  }

  listen(heard: (sender: string) => void): () => void {
    this.#listeners.add(heard);
    if (this.#newClient && !this.#client && !this.#retry) void this.#connect(this.#newClient());
    return () => {
      this.#listeners.delete(heard);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry) clearTimeout(this.#retry);
    if (this.#sending) clearTimeout(this.#sending);
    await this.#client?.end().catch(() => {});
  }

  async #connect(client: Client): Promise<void> {
    this.#client = client;
    // Without a listener, a lost connection would end the process.
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload }) => {
      for (const heard of this.#listeners) heard(payload ?? '');
    });
    try {
      await client.connect();
      await client.query(`listen ${quote(this.#channel)}`);
      this.#pause = FIRST_PAUSE;
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    void client.end().catch(() => {});
    const newClient = this.#newClient;
    if (this.#closed || !newClient) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      void this.#connect(newClient());
    }, this.#pause).unref();
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }
}
