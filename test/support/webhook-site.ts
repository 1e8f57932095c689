import assert from 'node:assert/strict';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { notes } from './notes/app.ts';
import { type Received, WebhookReceiver } from './receiver.ts';
import { type Engine, startTestSite, type TestSite } from './site.ts';
import { until } from './until.ts';

/** A row of Webhook Request Log. */
export interface Log {
  readonly name: string;
  readonly status: string;
  readonly attempt: number;
  readonly [field: string]: unknown;
}

/** A site with the doctype Note that delivers to a receiver, retrying within milliseconds. */
export class WebhookSite {
  readonly site: TestSite;
  readonly receiver: WebhookReceiver;
  #count = 0;

  /** With other settings of webhooks, and of the rest. */
  static async start(
    engine: Engine,
    settings: Partial<Config['webhooks']> = {},
    config: Partial<Config> = {},
    { worker = true }: { readonly worker?: boolean } = {},
  ): Promise<WebhookSite> {
    const receiver = await WebhookReceiver.start();
    const webhooks = { allow: ['127.0.0.0/8'], worker: true, maxRetries: 13 };
    const backoff = { backoffBase: 20, backoffFactor: 1, backoffCap: 1_000, logDays: 0, logBytes: 0 };
    const health = { restAfterFailures: 50, disableAfter: 0, loopLimit: 0 };
    const site = await startTestSite(engine, {
      apps: [notes],
      worker,
      config: {
        ...config,
        webhooks: { ...DEFAULT_CONFIG.webhooks, ...webhooks, ...backoff, ...health, ...settings },
      },
    });
    return new WebhookSite(site, receiver);
  }

  private constructor(site: TestSite, receiver: WebhookReceiver) {
    this.site = site;
    this.receiver = receiver;
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await this.receiver.close();
  }

  /** Removes all webhooks and what was received: each test has its own. */
  async clear(): Promise<void> {
    this.receiver.mode = 'ok';
    this.receiver.decide = null;
    const { body } = await this.site.request('GET', '/api/resource/Webhook?limit_page_length=0');
    for (const { name } of body.data) await this.site.request('DELETE', `/api/resource/Webhook/${name}`);
    this.receiver.received.length = 0;
  }

  /** Makes a webhook for new Notes, unless the fields say otherwise. */
  async webhook(fields: object = {}): Promise<{ name: string; secret: string }> {
    const reply = await this.site.request('POST', '/api/resource/Webhook', {
      body: {
        webhook_doctype: 'Note',
        webhook_docevent: 'after_insert',
        request_url: this.receiver.url,
        ...fields,
      },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  }

  /** Makes a Note; resolves to its name. */
  async note(fields: object = {}): Promise<string> {
    this.#count += 1;
    const name = `note-${this.#count}`;
    const reply = await this.site.request('POST', '/api/resource/Note', {
      body: { name, title: 'A title', ...fields },
    });
    assert.equal(reply.status, 200, reply.text);
    return name;
  }

  async put(path: string, body: object): Promise<void> {
    const reply = await this.site.request('PUT', `/api/resource/${path}`, { body });
    assert.equal(reply.status, 200, reply.text);
  }

  async logs(webhook: string): Promise<Log[]> {
    const filters = encodeURIComponent(JSON.stringify([['webhook', '=', webhook]]));
    const path = `/api/resource/Webhook%20Request%20Log?filters=${filters}&order_by=creation%20desc&fields=["*"]`;
    const reply = await this.site.request('GET', path);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  }

  /** The log, once it looks as it should; the worker writes it after the receiver answered. */
  async logUntil(webhook: string, done: (logs: Log[]) => boolean): Promise<Log[]> {
    return until(() => this.logs(webhook), done);
  }
}

export function delivered(found: readonly Log[]): boolean {
  return found.length > 0 && found.every((log) => log.status === 'Delivered');
}

// biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every shape
export function bodyOf(received: Received | undefined): any {
  return JSON.parse(received?.body.toString() ?? 'null');
}
