import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { inTheEnd } from './until.ts';

/** A mail as it came over the wire. */
export interface ReceivedMail {
  /** Of the envelope. */
  readonly to: readonly string[];
  readonly from: string;
  /** Headers and body. */
  readonly raw: string;
}

export interface Mailbox {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Whether it takes mail; false refuses every recipient. */
  isOpen: boolean;
  stop(): Promise<void>;
}

/** A real SMTP server on loopback that keeps what it gets. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const box = { isOpen: true };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo: (_address, _session, callback) => callback(box.isOpen ? null : new Error('closed')),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mails.push({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() });
        callback();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    get isOpen() {
      return box.isOpen;
    },
    set isOpen(open) {
      box.isOpen = open;
    },
    stop: () =>
      inTheEnd(() => new Promise((resolve) => server.close(() => resolve())), 'the end of the mailbox'),
  };
}
