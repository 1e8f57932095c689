/** The process of naive-sender.ts: `node naive-server.ts <file>`. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file = ''] = process.argv.slice(2);
const TRIES = 3;
const urlsByTopic = new Map<string, string[]>();
let waiting = 0;

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  if (request.url === '/subscribe') {
    urlsByTopic.set(body.topic, [...(urlsByTopic.get(body.topic) ?? []), ...body.urls]);
  } else if (request.url === '/save') {
    appendFileSync(file, `${JSON.stringify(body)}\n`);
    for (const url of urlsByTopic.get(body.topic) ?? []) void deliver(url, JSON.stringify(body));
  }
  response.end(String(waiting));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

async function deliver(url: string, body: string): Promise<void> {
  waiting += 1;
  const id = randomUUID();
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const init = { method: 'POST', headers: { 'x-delivery': id }, body, signal: AbortSignal.timeout(1_000) };
    const reply = await fetch(url, init).catch(() => null);
    if (reply?.ok) break;
  }
  waiting -= 1;
}
