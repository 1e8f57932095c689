/**
 * Receivers of the webhook benchmark, in a process of their own and on bare sockets, so that they cost the
 * least: `node webhook-receiver.ts <well> <hanging>` listens on so many ports that answer, and so many that
 * never do, and writes them as JSON. What comes to /timed is written down: `<name> <nanoseconds>` a line.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const [well = 8, hanging = 100] = process.argv.slice(2).map(Number);
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');

const listen = (count: number, take: (socket: Socket) => void) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer({ noDelay: true }, (socket) => {
        socket.on('error', () => {});
        take(socket);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );

const ports = {
  well: await listen(well, answer),
  hanging: await listen(hanging, (socket) => socket.resume()),
};
process.stdout.write(`${JSON.stringify(ports)}\n`);

function answer(socket: Socket): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (text.length < end) return;
      if (text.startsWith('POST /timed')) {
        const name = /"name": ?"([^"]+)"/.exec(text.slice(head, end))?.[1];
        process.stdout.write(`${name} ${process.hrtime.bigint()}\n`);
      }
      text = text.slice(end);
      socket.write(ANSWER);
    }
  });
}
