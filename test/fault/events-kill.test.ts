/**
 * Listeners that come and go, from node to node, while many write and servers are killed: whoever goes on from the last
 * id hears of every change once.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { engineOf } from '../support/describe-site.ts';
import { listen } from '../support/events.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { inTheEnd, until } from '../support/until.ts';

const AUTHORIZATION = 'token admin-key:admin-secret-0123456789';
const WRITERS = 8;
const EACH = 40;

interface Node {
  server: ServerProcess;
  readonly restart: () => Promise<void>;
}

async function startNode(argv: readonly string[], env: Record<string, string>): Promise<Node> {
  const start = () => startServerProcess(argv, { env });
  const node: Node = {
    server: await start(),
    restart: async () => {
      await node.server.end('SIGKILL');
      node.server = await start();
    },
  };
  return node;
}

/** Creates documents one after another until enough were acknowledged; resolves to their names. */
async function write(
  node: () => Node,
  writer: number,
  done: (name: string) => void,
  end: AbortSignal,
): Promise<string[]> {
  const names: string[] = [];
  for (let count = 0; names.length < EACH && !end.aborted; count += 1) {
    const name = `W${writer}-${count}`;
    const reply = await fetch(`${node().server.url}/api/resource/Customer`, {
      method: 'POST',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
      body: JSON.stringify({ customer_name: name }),
    }).catch(() => null);
    await reply?.arrayBuffer().catch(() => null);
    if (reply?.status === 200) {
      names.push(name);
      done(name);
    } else await wait(20);
  }
  return names;
}

/** Listens on one node after another, a few events each, and keeps what it heard in order. */
async function hear(node: () => Node, start: string, heard: string[], end: AbortSignal): Promise<void> {
  let last = start;
  while (!end.aborted) {
    const stream = await listen(
      node().server.url,
      `doctype=Customer&last_event_id=${last}`,
      AUTHORIZATION,
      {},
      end,
    ).catch(() => null);
    if (!stream) {
      await wait(20);
      continue;
    }
    for (let count = 0; count < 7; count += 1) {
      const event = await stream.next().catch(() => null);
      if (!event) break;
      last = stream.last;
      assert.notEqual(event.event, 'reset');
      if (event.event === 'change') heard.push(`${event.data.event} ${event.data.name}`);
    }
    await stream.close();
  }
}

for (const engine of engineOf('listeners')) {
  describe(`listeners, writers and kill -9 on ${engine}`, () => {
    test('listeners get every acknowledged change once', async (t) => {
      const root = mkdtempSync(join(tmpdir(), 'chancery-events-kill-'));
      const database = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
      const env = {
        CHANCERY_ADMIN_API_KEY: 'admin-key:admin-secret-0123456789',
        CHANCERY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...(database ? { CHANCERY_DATABASE: database.url, CHANCERY_FILES: join(root, 'files') } : {}),
      };
      const nodes: Node[] = [];
      const end = new AbortController();
      t.after(async () => {
        end.abort();
        for (const { server } of nodes) await server.end('SIGKILL');
        await database?.drop();
        rmSync(root, { recursive: true, force: true });
      });
      for (const name of database ? ['a', 'b'] : ['a'])
        nodes.push(await startNode(['--data', join(root, name)], env));
      let turn = 0;
      const any = () => {
        turn += 1;
        return nodes[turn % nodes.length] as Node;
      };

      const first = await listen(any().server.url, 'doctype=Customer', AUTHORIZATION);
      assert.equal((await first.next())?.event, 'open');
      const start = first.last;
      await first.close();
      const all: string[][] = [[], [], []];
      const listeners = all.map((heard) => hear(any, start, heard, end.signal));
      let acknowledged = 0;
      const killing = Promise.withResolvers<void>();
      const done = () => {
        acknowledged += 1;
        if (acknowledged === (WRITERS * EACH) / 2) killing.resolve(nodes.at(-1)?.restart());
      };
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(any, writer, done, end.signal));
      const [written] = await inTheEnd(
        () => Promise.all([Promise.all(writers), killing.promise]),
        () => `a restart and ${WRITERS * EACH} acknowledged documents; there are ${acknowledged}`,
      );
      const names = written.flat();

      const missing = (heard: readonly string[]) => {
        const set = new Set(heard);
        return names.filter((name) => !set.has(`after_insert ${name}`));
      };
      await until(
        () => all.flatMap(missing),
        ({ length }) => length === 0,
        'every listener to hear of every acknowledged document',
      );
      end.abort();
      await inTheEnd(() => Promise.all(listeners), 'the end of the listeners');
      for (const heard of all) {
        assert.deepEqual(missing(heard), []);
        assert.equal(new Set(heard).size, heard.length, 'something was told twice');
      }
    });
  });
}
