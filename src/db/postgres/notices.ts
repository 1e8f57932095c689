import type { Client } from 'pg';
import type { Connection, Notices } from '../database.ts';
import { quote } from '../ddl.ts';

/** The shortest interval between two notices; milliseconds. */
const GATHER = 10;
/** The pause between a lost connection and the first retry; milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** Senders by channel, as JSON. */
const NOTIFY = 'select pg_notify("key", "value") from json_each_text($1)';

/**
 * Sends notices to other processes on the same database with NOTIFY, outside transactions (inside, their
 * commits would wait for each other). Each listener has a channel of its own beside the common one, so that the
 * database sends a notice only to those whom it concerns. A notice may get lost silently, for example behind a
 * pooler, so listeners also poll.
 */
export class PostgresNotices implements Notices {
  readonly #newClient: (() => Client) | null;
  readonly #sender: Connection;
  readonly #schema: string;
  /** By channel. */
  readonly #listeners = new Map<string, Set<(sender: string) => void>>();
  /** The channels that are to be notified, and by whom. */
  readonly #due = new Map<string, string>();
  #client: Client | null = null;
  #isConnected = false;
  #pause = FIRST_PAUSE;
  #retry: NodeJS.Timeout | null = null;
  #sending: NodeJS.Timeout | null = null;
  #closed = false;

  /** `schema` separates the notices of sites in one database. Without `newClient`, nothing is heard. */
  constructor(newClient: (() => Client) | null, sender: Connection, schema: string | null) {
    this.#newClient = newClient;
    this.#sender = sender;
    this.#schema = schema ?? '';
  }

  send(sender: string, to: readonly string[] | null): void {
    if (this.#closed) return;
    for (const name of to ?? [null]) this.#due.set(this.#channelOf(name), sender);
    this.#sending ??= setTimeout(() => {
      this.#sending = null;
      const due = JSON.stringify(Object.fromEntries(this.#due));
      this.#due.clear();
      this.#sender.get({ text: NOTIFY, values: [due] }).catch(() => {});
    }, GATHER);
  }

  listen(name: string, heard: (sender: string) => void): () => void {
    const channels = [this.#channelOf(null), this.#channelOf(name)];
    for (const channel of channels) {
      const listeners = this.#listeners.get(channel) ?? new Set();
      this.#listeners.set(channel, listeners.add(heard));
    }
    if (this.#client && this.#isConnected) void this.#hear(this.#client, channels);
    if (this.#newClient && !this.#client && !this.#retry) void this.#connect(this.#newClient());
    return () => {
      for (const channel of channels) this.#listeners.get(channel)?.delete(heard);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry) clearTimeout(this.#retry);
    if (this.#sending) clearTimeout(this.#sending);
    await this.#client?.end().catch(() => {});
  }

  /** The channel of a listener, or of all. Names of channels have at most 63 bytes, names of listeners few. */
  #channelOf(name: string | null): string {
    const common = `chancery ${this.#schema}`;
    return name === null ? common.slice(0, 63) : `${common.slice(0, 62 - name.length)} ${name}`;
  }

  async #connect(client: Client): Promise<void> {
    this.#client = client;
    this.#isConnected = false;
    // Without a listener, a lost connection would end the process.
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ channel, payload }) => {
      for (const heard of this.#listeners.get(channel) ?? []) heard(payload ?? '');
    });
    try {
      await client.connect();
      this.#isConnected = true;
      await this.#hear(client, [...this.#listeners.keys()]);
      this.#pause = FIRST_PAUSE;
    } catch {
      this.#lost(client);
    }
  }

  async #hear(client: Client, channels: readonly string[]): Promise<void> {
    try {
      await client.query(channels.map((channel) => `listen ${quote(channel)}`).join('; '));
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
