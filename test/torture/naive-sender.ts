/**
 * A webhook sender as many are: it answers when the document is in its file, and then tells the receivers
 * from memory, with two more tries. The smallest example of a sender for these trials, and the proof that
 * they can fail.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { OpenSender } from './sender.ts';

const SERVER = fileURLToPath(new URL('naive-server.ts', import.meta.url));

export const openSender: OpenSender = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'torture-naive-'));
  const file = join(folder, 'documents');
  const subscriptions: { topic: string; urls: readonly string[] }[] = [];
  const pids = new Set<number>();
  return {
    name: 'a naive sender',
    hasNodes: false,
    async start() {
      const child = spawn(process.execPath, [SERVER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      const pid = child.pid ?? 0;
      pids.add(pid);
      const ended = once(child, 'exit').then(() => void pids.delete(pid));
      const [port] = await once(createInterface({ input: child.stdout }), 'line');
      const call = async (path: string, body: object): Promise<string> => {
        const reply = await fetch(`http://127.0.0.1:${port}/${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
        });
        return reply.text();
      };
      for (const subscription of subscriptions) await call('subscribe', subscription);
      return {
        pid,
        call,
        save: async (topic, change) => void (await call('save', { topic, ...change })),
        undo: async () => {},
        async stored(topic) {
          const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
          const changes = lines.map((line) => JSON.parse(line)).filter((change) => change.topic === topic);
          return new Map(changes.map(({ name, step }) => [name, step]));
        },
        waiting: async () => Number(await call('waiting', {})),
        async signal(signal) {
          child.kill(signal);
          if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended;
        },
        cutOff: async () => {},
        mend: async () => {},
      };
    },
    async subscribe(node, topic, urls) {
      subscriptions.push({ topic, urls });
      const { call } = node as typeof node & { call(path: string, body: object): Promise<string> };
      await call('subscribe', { topic, urls });
    },
    read(headers, body) {
      const { name, step } = JSON.parse(body.toString());
      return { id: String(headers['x-delivery']), change: { name, step } };
    },
    sentAt: () => null,
    async close() {
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
