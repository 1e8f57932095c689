import { gzipSync } from 'node:zlib';
import type { Behaviour } from './receiver.ts';

/** Gzip of 100 MB of zeros, made when first asked for. */
let bomb: Buffer | null = null;

const raw =
  (text: string | Buffer, end = true): Behaviour =>
  (_response, socket) => {
    socket.write(text);
    if (end) socket.end();
  };

const dripping =
  (first: string, drop: string): Behaviour =>
  (_response, socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(drop), 50);
    socket.on('close', () => clearInterval(timer));
  };

export const hang: Behaviour = () => {};

export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(code, headers).end(`status ${code}`);
  };

/** Failures of receivers, each of which must cost no more than its own attempt. */
export const HOSTILE: Readonly<Record<string, Behaviour>> = {
  'never answers': hang,
  'answers 500': status(500),
  'answers 429 with Retry-After': status(429, { 'retry-after': '1' }),
  'answers 503 with a Retry-After that is none': status(503, {
    'retry-after': 'soon; -1, 99999999999999999999',
  }),
  'redirects to itself': status(302, { location: '/loop' }),
  'redirects into the network of the sender': status(307, { location: 'http://169.254.169.254/latest/' }),
  'redirects to a file': status(301, { location: 'file:///etc/passwd' }),
  'drips interim responses': dripping('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'),
  'drips the head': dripping('HTTP/1.1 200 OK\r\nx-slow: ', '.'),
  'drips headers': dripping('HTTP/1.1 200 OK\r\n', 'x-more: yes\r\n'),
  'sends a head without end': (_response, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const pour = () => {
      while (!socket.destroyed && socket.write(`x-long: ${'x'.repeat(8_000)}\r\n`));
    };
    socket.on('drain', pour);
    pour();
  },
  'closes at once': (_response, socket) => void socket.destroy(),
  'resets at once': (_response, socket) => void socket.resetAndDestroy(),
  'resets amid the head': (_response, socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-', () => socket.resetAndDestroy());
  },
  'says nothing in HTTP': raw(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])),
  'answers as if it were TLS': raw(Buffer.from([21, 3, 1, 0, 2, 2, 70])),
  'speaks HTTP/0.9': raw('<html>it works</html>'),
  'sends a status that is none': raw('HTTP/1.1 2000 Fine\r\ncontent-length: 0\r\n\r\n'),
  'sends two lengths': raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 5\r\n\r\nhello'),
  'smuggles a second response': raw(
    'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  ),
};

/** Receivers that accept, and then go on badly: the status has decided. */
export const RUDE: Readonly<Record<string, Behaviour>> = {
  'drips the body': (response, socket) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write('.'), 50);
    socket.on('close', () => clearInterval(timer));
  },
  'sends a body without end': (response) => {
    response.writeHead(200).flushHeaders();
    const block = Buffer.alloc(16_384, 'x');
    const pour = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', pour);
    pour();
  },
  'sends a bomb of gzip': (response) => {
    bomb ??= gzipSync(Buffer.alloc(100_000_000));
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
  },
  'resets amid the body': (response, socket) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half', () => socket.resetAndDestroy());
  },
  'promises more than it sends': (response, socket) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('less', () => socket.end());
  },
  'closes the kept connection': (response, socket) => {
    response.writeHead(204, { connection: 'keep-alive' });
    response.end(() => socket.destroy());
  },
  'hides control characters in the body': (response) => {
    response.writeHead(200).end(Buffer.from('\u0000\u001b[2J\ud800\r\n{"a":', 'utf8'));
  },
};
