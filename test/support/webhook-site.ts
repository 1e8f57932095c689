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
export interface WebhookSite extends TestSite {
  readonly receiver: WebhookReceiver;
  /** Removes all webhooks and what was received: each test has its own. */
  clear(): Promise<void>;
  /** Makes a webhook for new Notes, unless the fields say otherwise. */
  webhook(fields?: object): Promise<{ name: string; secret: string }>;
  /** Makes a Note; resolves to its name. */
  note(fields?: object): Promise<string>;
  put(path: string, body: object): Promise<void>;
  logs(webhook: string): Promise<Log[]>;
  /** The log, once it looks as it should; the worker writes it after the receiver answered. */
  logUntil(webhook: string, done: (logs: Log[]) => boolean): Promise<Log[]>;
}

type Webhooks = Config['webhooks'];
type Start = (engine: Engine) => Promise<WebhookSite>;

/** For `describeSite`. With other settings of webhooks, and of the rest. */
export function webhookSite(webhooks?: Partial<Webhooks>, config?: Partial<Config>, worker?: boolean): Start {
  return (engine) => startWebhookSite(engine, webhooks, config, worker);
}

export async function startWebhookSite(
  engine: Engine,
  settings: Partial<Webhooks> = {},
  config: Partial<Config> = {},
  worker = true,
): Promise<WebhookSite> {
  const receiver = await WebhookReceiver.start();
  const webhooks = { allow: ['127.0.0.0/8'], worker: true, maxRetries: 13 };
  const backoff = { backoffBase: 20, backoffFactor: 1, backoffCap: 1_000, logDays: 0, logBytes: 0 };
  const health = { restAfterFailures: 50, disableAfter: 0, loopLimit: 0 };
  const all = { ...DEFAULT_CONFIG.webhooks, ...webhooks, ...backoff, ...health, ...settings };
  const site = await startTestSite(engine, { apps: [notes], worker, config: { ...config, webhooks: all } });
  let count = 0;

  async function logs(webhook: string): Promise<Log[]> {
    const filters = encodeURIComponent(JSON.stringify([['webhook', '=', webhook]]));
    const query = `filters=${filters}&order_by=creation%20desc&fields=["*"]`;
    return site.ok('GET', `/api/resource/Webhook%20Request%20Log?${query}`);
  }

  return {
    ...site,
    receiver,
    async clear() {
      receiver.mode = 'ok';
      receiver.decide = null;
      for (const { name } of await site.ok('GET', '/api/resource/Webhook?limit_page_length=0'))
        await site.request('DELETE', `/api/resource/Webhook/${name}`);
      receiver.received.length = 0;
    },
    webhook: (fields) =>
      site.make('Webhook', {
        webhook_doctype: 'Note',
        webhook_docevent: 'after_insert',
        request_url: receiver.url,
        ...fields,
      }),
    async note(fields) {
      count += 1;
      return (await site.make('Note', { name: `note-${count}`, title: 'A title', ...fields })).name;
    },
    put: (path, body) => site.ok('PUT', `/api/resource/${path}`, { body }),
    logs,
    logUntil: (webhook, done) => until(() => logs(webhook), done),
    async stop() {
      await site.stop();
      await receiver.close();
    },
  };
}

export function delivered(found: readonly Log[]): boolean {
  return found.length > 0 && found.every((log) => log.status === 'Delivered');
}

// biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every shape
export function bodyOf(received: Received | undefined): any {
  return JSON.parse(received?.body.toString() ?? 'null');
}
