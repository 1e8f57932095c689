/** Real processes that a certain delivery kills, whichever takes it: it is given up, and all the others arrive. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { LOOP_DEATHS, POISON } from '../../src/webhook/queue/queue.ts';
import { engineOf } from '../support/describe-site.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const KEY = 'poison-key:poison-secret-0123456789';
const HEADERS = { authorization: `token ${KEY}`, 'content-type': 'application/json' };
const ENV = {
  CHANCERY_ADMIN_API_KEY: KEY,
  CHANCERY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8',
  CHANCERY_WEBHOOKS_BACKOFF_BASE: '500',
  CHANCERY_WEBHOOKS_BACKOFF_FACTOR: '1',
};
const OTHERS = Array.from({ length: 20 }, (_, index) => `other-${index}`);

for (const engine of engineOf('poison')) {
  test(`a delivery that crashes processes is given up, on ${engine}`, async () => {
    const receiver = await WebhookReceiver.start();
    const data = await mkdtemp(join(tmpdir(), 'chancery-poison-'));
    const database = await siteDatabase(engine, data);
    const url = database.url ?? `sqlite:${join(data, 'chancery.db')}`;
    let server: ServerProcess | null = null;
    const start = async () => {
      server = await startServerProcess(['--data', data, '--database', url], { env: ENV });
      return server;
    };
    try {
      let current = await start();
      const call = async (method: string, path: string, body: object) => {
        const init = { method, headers: HEADERS, body: JSON.stringify(body) };
        const reply = await fetch(`${current.url}/api/${path}`, init);
        assert.equal(reply.status, 200, await reply.clone().text());
        return reply.json();
      };
      receiver.mode = 500;
      await call('POST', 'resource/DocType', DOCTYPE);
      await call('POST', 'resource/Webhook', {
        webhook_doctype: 'Dose',
        webhook_docevent: 'on_change',
        request_url: receiver.url,
      });
      for (const name of ['poison', ...OTHERS]) await call('POST', 'resource/Dose', { name });
      // What comes after it about the same document goes when it is given up.
      await call('PUT', 'resource/Dose/poison', { step: 1 });

      await current.end('SIGTERM');
      await dieBefore(url);
      let deaths = 0;
      receiver.decide = ({ body }) => {
        const { name, step } = JSON.parse(body.toString());
        if (name !== 'poison' || step === 1) return 'ok';
        deaths += 1;
        void server?.end('SIGKILL');
        return 'hang';
      };
      current = await start();
      const came = (name: string, step: number) =>
        receiver.received.slice(from).some(({ body }) => {
          const told = JSON.parse(body.toString());
          return told.name === name && told.step === step;
        });
      const from = receiver.received.length;
      const log = async (process: ServerProcess) => {
        const filters = encodeURIComponent(JSON.stringify([['reference_document', '=', 'poison']]));
        const path = `resource/Webhook Request Log?filters=${filters}&fields=["name","status","error"]&order_by=creation`;
        const reply = await fetch(`${process.url}/api/${path}`, { headers: HEADERS });
        return (await reply.json()).data[0];
      };
      for (;;) {
        const process = current;
        const isDone = await Promise.race([
          process.finished.then(() => false),
          // A connection that breaks off says that the process ended.
          untilGivenUp(process).catch(() => process.finished.then(() => false)),
        ]);
        if (isDone) break;
        assert.ok(deaths <= POISON + 1, `${deaths} deaths`);
        await pass(url);
        current = await start();
      }
      const others = () => OTHERS.every((name) => came(name, 0)) && came('poison', 1);
      await receiver.until(others);
      assert.ok(deaths >= POISON, `${deaths} deaths`);
      const { status, error } = await log(current);
      assert.equal(status, 'Exhausted');
      assert.match(error, /^process_died: .* while this delivery was in flight/);
      const { stdout, stderr } = await current.end('SIGTERM');
      assert.match(stdout + stderr, /process_died: the server crashed .*delivery_given_up/);

      /** Has it tried at once where it would wait for the process to live for a while. */
      async function untilGivenUp(process: ServerProcess): Promise<boolean> {
        return until(async () => {
          const { name, status: now } = await log(process);
          if (now === 'Exhausted') return true;
          // Refused while it is on its way. One that was given up would be sent once more.
          if (deaths < POISON) {
            await fetch(`${process.url}/api/method/chancery.webhook.resend`, {
              method: 'POST',
              headers: HEADERS,
              body: JSON.stringify({ name }),
            });
          }
          return false;
        });
      }
    } finally {
      await (server as ServerProcess | null)?.end('SIGKILL');
      await receiver.close();
      await database.drop();
      await rm(data, { recursive: true, force: true });
    }
  });
}

/** On PostgreSQL a process is taken for dead after ten seconds: they pass. */
async function pass(url: string): Promise<void> {
  await change(url, [sql`update "_webhook_node" set "seen_at" = "seen_at" - 11000`]);
}

/** So many processes died a moment ago that care is taken with what waits. */
async function dieBefore(url: string): Promise<void> {
  const then = Date.now() - 20_000;
  const nodes = Array.from({ length: LOOP_DEATHS }, (_, index) => `dead-${index}`);
  await change(
    url,
    nodes.flatMap((node) => [
      sql`insert into "_webhook_node" ("node", "seen_at") values (${node}, ${then})`,
      sql`insert into "_webhook_start" ("node", "started_at") values (${node}, ${then})`,
    ]),
  );
}

async function change(url: string, statements: readonly Sql[]): Promise<void> {
  const database = await openDatabase(url);
  await database.transaction(async (connection) => {
    for (const statement of statements) await connection.run(statement);
  });
  await database.close();
}

const DOCTYPE = {
  name: 'Dose',
  module: 'Test',
  autoname: 'prompt',
  fields: [{ fieldname: 'step', label: 'Step', fieldtype: 'Int' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};
