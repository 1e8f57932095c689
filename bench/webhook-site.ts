/**
 * The sender of the webhook benchmark: a whole site in a process of its own, without HTTP, told by IPC what
 * to do. Environment: BENCH_DATA, BENCH_DATABASE (empty: SQLite).
 */
import { ADMINISTRATOR } from '../src/access/user.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { type Sql, sql } from '../src/db/sql.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { openSite } from '../src/site/start/open-site.ts';
import { type DeliveryWorker, startDeliveryWorker } from '../src/webhook/worker/worker.ts';
import type { Answers, Order } from './webhook-orders.ts';

const config = {
  ...DEFAULT_CONFIG,
  data: process.env['BENCH_DATA'] ?? '',
  database: process.env['BENCH_DATABASE'] || null,
  webhooks: { ...DEFAULT_CONFIG.webhooks, allow: ['127.0.0.0/8'], loopLimit: 0 },
};
let attempts = 0;
const site = await openSite(config, {
  apps: [],
  observe: ({ kind }) => {
    if (kind === 'delivery_attempted') attempts += 1;
  },
});
let count = 0;
let worker: DeliveryWorker | null = null;

const orders: { readonly [K in Order['do']]: (order: Extract<Order, { do: K }>) => Promise<Answers[K]> } = {
  async doctype({ name }) {
    const field = (fieldname: string, fieldtype: string) => ({ fieldname, label: fieldname, fieldtype });
    await unitOfWork(site, ADMINISTRATOR, (ctx) =>
      createDocument(ctx, 'DocType', {
        name,
        module: 'Bench',
        autoname: 'prompt',
        fields: [field('subject', 'Data'), field('status', 'Data'), field('description', 'Long Text')],
        permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
      }),
    );
    return null;
  },
  async webhooks({ doctype, urls, timeout }) {
    await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
      for (const request_url of urls) {
        const fields = { webhook_doctype: doctype, webhook_docevent: 'after_insert', request_url, timeout };
        await createDocument(ctx, 'Webhook', fields);
      }
    });
    return null;
  },
  async fill({ doctype, documents }) {
    for (let left = documents; left > 0; left -= BATCH) {
      await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
        for (let index = 0; index < Math.min(BATCH, left); index += 1)
          await createDocument(ctx, doctype, fields());
      });
    }
    return null;
  },
  async wait({ doctype, deliveries }) {
    const mine = sql`"webhook" in (select "name" from "Webhook" where "webhook_doctype" = ${doctype})`;
    const run = (statement: Sql) => site.database.transaction((connection) => connection.run(statement));
    await run(sql`delete from "_webhook_delivery" where ${mine}`);
    if (deliveries > 0) await orders.fill({ do: 'fill', doctype, documents: 1 });
    for (let made = 1; made < deliveries; made *= 2) {
      const mark = `-${made}`;
      await run(sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype", "reference_document",
          "user", "order_key", "due_at", "creation", "modified")
        select "name" || ${mark}, "webhook", "event", "reference_doctype", "reference_document",
          "user", "order_key" || ${mark}, "due_at", "creation", "modified"
        from "_webhook_delivery" where ${mine} order by "id" limit ${deliveries - made}`);
    }
    return null;
  },
  async start() {
    worker = startDeliveryWorker(site);
    return null;
  },
  async drain() {
    const waiting = sql`select count(*) as "count" from "_webhook_delivery" where "state" in (0, 1, 5, 6)`;
    const count = async () => Number((await site.database.reader.get(waiting))?.['count']);
    const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
    const target = attempts + (await count());
    const [cpu, began] = [process.cpuUsage(), performance.now()];
    const drainer = startDeliveryWorker(site);
    // To count costs as much as some deliveries, so that is done when the last is on record, or nearly.
    while (attempts < target) await pause();
    while ((await count()) > 0) await pause();
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - began) / 1000;
    await drainer.stop();
    return { cpuMicros: user + system, seconds };
  },
  async saves({ doctype, documents }) {
    const cpu = process.cpuUsage();
    let left = documents;
    const client = async () => {
      while (left > 0) {
        left -= 1;
        await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, doctype, fields()));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / documents;
  },
  async pace({ doctype, documents, every }) {
    const committed: [string, string][] = [];
    const saves: Promise<void>[] = [];
    for (let index = 0; index < documents; index += 1) {
      const doc = fields();
      const saved = unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, doctype, doc));
      saves.push(saved.then(() => void committed.push([doc.name, String(process.hrtime.bigint())])));
      await new Promise((resolve) => setTimeout(resolve, every));
    }
    await Promise.all(saves);
    return committed;
  },
  async stop() {
    await worker?.stop();
    await site.close();
    setImmediate(() => process.disconnect?.());
    return null;
  },
};

process.on('message', (order: Order) => {
  const run = orders[order.do] as (order: Order) => Promise<unknown>;
  run(order).then(
    (answer) => reply(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
reply(null);

const BATCH = 250;
const CLIENTS = 64;

function reply(answer: unknown): void {
  process.send?.({ answer });
}

/** About a kilobyte as JSON. */
function fields() {
  count += 1;
  const name = `bench-${process.pid}-${count}`;
  return {
    name,
    subject: `Subject ${count}`,
    status: 'Open',
    description: 'The printer is on fire. '.repeat(30),
  };
}
