/** A server that is told to stop under load: what it has said yes to is there afterwards. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startServerProcess } from '../support/server-process.ts';
import { siteDatabase } from '../support/site-database.ts';

const KEY = 'admin:admin-secret-0123456789';
const HEADERS = { authorization: `token ${KEY}`, 'content-type': 'application/json' };

for (const engine of engineOf('in flight')) {
  test(`SIGTERM with 200 requests in flight loses nothing that was acknowledged, on ${engine}`, async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-stop-'));
    const database = await siteDatabase(engine, data);
    const env: Record<string, string> = { CHANCERY_ADMIN_API_KEY: KEY };
    if (database.url) env['CHANCERY_DATABASE'] = database.url;
    try {
      const server = await startServerProcess(['--data', data, '--apps', 'crm'], { env });
      const acknowledged: string[] = [];
      let others = 0;
      const { promise: underWay, resolve: isUnderWay } = Promise.withResolvers<void>();
      const send = async (index: number) => {
        const body = JSON.stringify({ subject: `Ticket ${index}` });
        try {
          const reply = await fetch(`${server.url}/api/resource/Ticket`, {
            method: 'POST',
            headers: HEADERS,
            body,
          });
          const { data: made } = await reply.json();
          if (reply.status === 200) acknowledged.push(made.name);
          else others += 1;
        } catch {
          others += 1;
        }
        isUnderWay();
      };
      const all = Array.from({ length: 200 }, (_, index) => send(index));
      await underWay;
      const { code } = await server.end('SIGTERM');
      assert.equal(code, 0);
      await Promise.all(all);
      assert.ok(acknowledged.length > 0);
      assert.equal(acknowledged.length + others, 200);

      const again = await startServerProcess(['--data', data, '--apps', 'crm'], { env });
      const reply = await fetch(`${again.url}/api/resource/Ticket?limit_page_length=1000`, {
        headers: HEADERS,
      });
      const { data: rows } = await reply.json();
      const stored = new Set(rows.map(({ name }: { name: string }) => name));
      assert.deepEqual(
        acknowledged.filter((name) => !stored.has(name)),
        [],
      );
      await again.end('SIGTERM');
    } finally {
      await database.drop();
      await rm(data, { recursive: true, force: true });
    }
  });
}
