/** The server is killed under load, again and again: no committed event is lost, none of an undone change is sent. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { ENGINES } from '../support/site.ts';

/** CI's share; a longer run sets it higher. */
const KILLS = { sqlite: Number(process.env['CHANCERY_TEST_KILLS'] ?? 6), postgres: 3 };
const CLIENTS = 8;
const KEY = 'kill-key:kill-secret-0123456789';
const HEADERS = { authorization: `token ${KEY}`, 'content-type': 'application/json' };
const ENV = {
  CHANCERY_ADMIN_API_KEY: KEY,
  CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8',
  CHANCERY_WEBHOOKS_BACKOFF_BASE: '20',
  CHANCERY_WEBHOOKS_BACKOFF_CAP: '200',
};

interface Payload {
  readonly name: string;
  readonly step: number;
}

for (const engine of ENGINES) {
  const timeout = 60_000 + 15_000 * KILLS[engine];
  test(`kill -9 with deliveries on their way, on ${engine}`, { timeout }, async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-kill-'));
    const fresh = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
    const argv = ['--data', data, ...(fresh ? ['--database', fresh.url] : [])];
    const start = () => startServerProcess(argv, { env: ENV });
    const receiver = await WebhookReceiver.start();
    // One answer in nine is a failure, so that retries and parked followers are among what is killed.
    receiver.decide = (_received, count) => (count % 9 === 0 ? 500 : 'ok');
    /** By document: the last step whose save was acknowledged. */
    const acked = new Map<string, number>();
    let server = await start();
    try {
      await post(server, 'resource/DocType', {
        name: 'Kill Note',
        module: 'Test',
        autoname: 'prompt',
        fields: [{ fieldname: 'step', label: 'Step', fieldtype: 'Int' }],
        permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
      });
      await post(server, 'resource/Webhook', {
        webhook_doctype: 'Kill Note',
        webhook_docevent: 'on_change',
        request_url: receiver.url,
        timeout: 1,
      });
      for (let round = 0; round < KILLS[engine]; round += 1) {
        const before = receiver.received.length;
        const work = Array.from({ length: CLIENTS }, (_, client) =>
          saveUntilCut(server, `${round}-${client}`),
        );
        await receiver.count(before + 5 + (round % 8) * 7);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        await server.end('SIGKILL');
        await Promise.all(work);
        server = await start();
      }
      await drained(server);
      await verify(server);
      const attempts = receiver.received.length;
      t.diagnostic(`${acked.size} documents, ${attempts} requests received, ${KILLS[engine]} kills`);
      await server.end('SIGTERM');
    } finally {
      await server.end('SIGKILL');
      await receiver.close();
      await rm(data, { recursive: true, force: true });
      await fresh?.drop();
    }

    async function saveUntilCut(to: ServerProcess, prefix: string): Promise<void> {
      try {
        for (let document = 0; ; document += 1) {
          const name = `${prefix}-${document}`;
          await post(to, 'resource/Kill Note', { name, step: 0 });
          acked.set(name, 0);
          for (let step = 1; step <= document % 4; step += 1) {
            await post(to, `resource/Kill Note/${name}`, { step }, 'PUT');
            acked.set(name, step);
          }
          // The first is inserted, the second exists: the whole call is undone.
          const undone = [{ name: `undone-${name}` }, { name }].map((doc) => ({
            doctype: 'Kill Note',
            ...doc,
          }));
          await assert.rejects(post(to, 'method/frappe.client.insert_many', { docs: undone }));
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
    }

    async function verify(on: ServerProcess): Promise<void> {
      const query = 'fields=["name","step"]&limit_page_length=0';
      const stored: Payload[] = await get(on, `resource/Kill Note?${query}`);
      const steps = new Map(stored.map(({ name, step }) => [name, step]));
      for (const [name, step] of acked)
        assert.ok((steps.get(name) ?? -1) >= step, `${name} lost step ${step}`);

      const bytesById = new Map<unknown, string>();
      const seen = new Map<string, number[]>();
      for (const { headers, body } of receiver.received) {
        const text = body.toString();
        const known = bytesById.get(headers['webhook-id']) ?? text;
        assert.equal(text, known, 'the same delivery came with other bytes');
        bytesById.set(headers['webhook-id'], text);
        const { name, step } = JSON.parse(text) as Payload;
        assert.ok(steps.has(name), `${name} was never committed`);
        assert.ok(step <= (steps.get(name) ?? -1), `step ${step} of ${name} was never committed`);
        seen.set(name, [...(seen.get(name) ?? []), step]);
      }
      for (const [name, step] of steps) {
        const came = seen.get(name) ?? [];
        const wanted = Array.from({ length: step + 1 }, (_, index) => index);
        assert.deepEqual([...new Set(came)], wanted, `deliveries of ${name}: ${came}`);
        assert.deepEqual(
          came,
          came.toSorted((left, right) => left - right),
          `order of ${name}: ${came}`,
        );
      }
      assert.equal(
        bytesById.size,
        stored.reduce((sum, { step }) => sum + step + 1, 0),
      );
    }

    async function drained(on: ServerProcess): Promise<void> {
      const filters = encodeURIComponent('[["status","not in",["Delivered"]]]');
      for (const until = Date.now() + 60_000; ; ) {
        const open: unknown[] = await get(
          on,
          `resource/Webhook Request Log?limit_page_length=5&filters=${filters}`,
        );
        if (open.length === 0) return;
        assert.ok(Date.now() < until, `not delivered: ${JSON.stringify(open)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  });
}

async function post(to: ServerProcess, path: string, body: object, method = 'POST'): Promise<void> {
  const reply = await fetch(`${to.url}/api/${path}`, {
    method,
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(text);
}

async function get<T>(from: ServerProcess, path: string): Promise<T> {
  const reply = await fetch(`${from.url}/api/${path}`, { headers: HEADERS });
  const { data } = (await reply.json()) as { data: T };
  return data;
}
