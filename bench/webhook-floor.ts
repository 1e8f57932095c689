/**
 * The floor of the webhook benchmark: `node webhook-floor.ts <deliveries> <port>…` signs and sends over 64
 * bare sockets what is always the same but for its id. No queue, no log, no checks, nothing kept. Writes its
 * CPU microseconds per delivery and its deliveries/s as JSON.
 */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';

const [count = 0, ...ports] = process.argv.slice(2).map(Number);
const SOCKETS = 64;
const ANSWER_BYTES = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'.length;
const body = Buffer.from(JSON.stringify({ name: 'floor', text: 'x'.repeat(950) }));
const key = Buffer.alloc(32, 1);

await send(Math.floor(count / 10));
const [cpu, began] = [process.cpuUsage(), performance.now()];
await send(count);
const { user, system } = process.cpuUsage(cpu);
const perSecond = count / ((performance.now() - began) / 1000);
process.stdout.write(`${JSON.stringify({ cpuMicros: (user + system) / count, perSecond })}\n`);

async function send(deliveries: number): Promise<void> {
  let left = deliveries;
  const one = (port: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let wanted = ANSWER_BYTES;
      const next = () => {
        if (left <= 0) {
          socket.end();
          resolve();
          return;
        }
        left -= 1;
        socket.write(Buffer.concat([head(`dlv_${left}`), body]));
      };
      socket.on('error', reject);
      socket.on('connect', next);
      socket.on('data', (chunk: Buffer) => {
        wanted -= chunk.length;
        if (wanted > 0) return;
        wanted = ANSWER_BYTES;
        next();
      });
    });
  await Promise.all(Array.from({ length: SOCKETS }, (_, index) => one(ports[index % ports.length] ?? 0)));
}

function head(id: string): Buffer {
  const seconds = Math.floor(Date.now() / 1000);
  const plain = createHmac('sha256', key).update(body).digest('base64');
  const standard = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
  return Buffer.from(
    `POST /hook HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
      `x-service-webhook-signature: ${plain}\r\nx-frappe-webhook-signature: ${plain}\r\nwebhook-id: ${id}\r\n` +
      `webhook-timestamp: ${seconds}\r\nwebhook-signature: v1,${standard}\r\nwebhook-attempt: 1\r\n\r\n`,
  );
}
