import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A message between a client and PostgreSQL, such as `bind insert` or `CommandComplete`. */
export interface WireMessage {
  readonly from: 'client' | 'server';
  readonly kind: string;
}

/** The place of a message among those that one side sends in a transaction, and what happens instead of it. */
export interface Fault {
  readonly from: WireMessage['from'];
  readonly place: number;
  /** `silence`: this side is not heard any more, and the connection stays open. */
  readonly instead: 'cut' | 'silence';
}

/** The messages of one transaction. */
export interface Watch {
  readonly messages: readonly WireMessage[];
  /** True after the fault. */
  readonly isHit: boolean;
}

/** A proxy in front of PostgreSQL that knows its messages. */
export interface MessageProxy {
  readonly port: number;
  /**
   * Follows the next transaction whose first statement contains this text, with a fault in it. `isAlone`: the
   * statement has no `begin`.
   */
  watch(statement: string, fault?: Fault, isAlone?: boolean): Watch;
  close(): Promise<void>;
}

export async function startMessageProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<MessageProxy> {
  const sockets = new Set<Socket>();
  const awaited: Transaction[] = [];
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true });
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    let running: Transaction | null = null;
    const fromClient = new Messages('client');
    const fromServer = new Messages('server');
    const pass = (messages: readonly Message[], to: Socket) => {
      for (const message of messages) {
        const fate = running?.next(message) ?? 'passes';
        if (running?.isOver) running = null;
        if (fate === 'cut') return cut();
        if (fate === 'passes') to.write(message.bytes);
      }
    };
    near.on('data', (bytes: Buffer) => {
      const messages = fromClient.read(bytes);
      const begins = messages.some(({ kind }) => kind === 'query begin');
      const place = awaited.findIndex(
        ({ statement, isAlone }) =>
          isAlone !== begins && messages.some(({ text }) => text.includes(statement)),
      );
      running = awaited.splice(place, place < 0 ? 0 : 1)[0] ?? running;
      pass(messages, far);
    });
    far.on('data', (bytes: Buffer) => pass(fromServer.read(bytes), near));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    watch(statement, fault, isAlone = false) {
      const transaction = new Transaction(statement, fault, isAlone);
      awaited.push(transaction);
      return transaction;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

interface Message extends WireMessage {
  readonly bytes: Buffer;
  /** The statement of it; empty in other messages. */
  readonly text: string;
  /** The server waits for the next transaction. */
  readonly isIdle: boolean;
}

class Transaction implements Watch {
  readonly statement: string;
  readonly isAlone: boolean;
  readonly messages: WireMessage[] = [];
  readonly #fault: Fault | undefined;
  isHit = false;
  isOver = false;

  constructor(statement: string, fault: Fault | undefined, isAlone: boolean) {
    this.statement = statement;
    this.isAlone = isAlone;
    this.#fault = fault;
  }

  /** What becomes of the next message. */
  next({ from, kind, isIdle }: Message): 'passes' | 'cut' | 'is lost' {
    const place = this.messages.filter((message) => message.from === from).length;
    this.messages.push({ from, kind });
    this.isOver = isIdle && !this.isHit;
    if (from !== this.#fault?.from || place < this.#fault.place) return 'passes';
    this.isHit = true;
    return this.#fault.instead === 'cut' ? 'cut' : 'is lost';
  }
}

const CLIENT: Readonly<Record<string, string>> = {
  B: 'bind',
  D: 'describe',
  E: 'execute',
  P: 'parse',
  Q: 'query',
};
const SERVER: Readonly<Record<string, string>> = {
  1: 'ParseComplete',
  2: 'BindComplete',
  C: 'CommandComplete',
  D: 'DataRow',
  E: 'ErrorResponse',
  T: 'RowDescription',
  Z: 'ReadyForQuery',
  n: 'NoData',
};

/** Cuts the bytes of one side into messages. */
class Messages {
  readonly #from: WireMessage['from'];
  /** Texts of prepared statements by name. */
  readonly #texts = new Map<string, string>();
  #rest = Buffer.alloc(0);
  /** The first message of a client has no type. */
  #isFirst: boolean;

  constructor(from: WireMessage['from']) {
    this.#from = from;
    this.#isFirst = from === 'client';
  }

  read(bytes: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const head = this.#isFirst ? 0 : 1;
      if (this.#rest.length < head + 4) return messages;
      const length = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < length) return messages;
      messages.push(this.#message(this.#rest.subarray(0, length)));
      this.#rest = this.#rest.subarray(length);
      this.#isFirst = false;
    }
  }

  #message(bytes: Buffer): Message {
    const type = this.#isFirst ? 'startup' : String.fromCharCode(bytes[0] ?? 0);
    if (this.#from === 'server') {
      const isIdle = type === 'Z' && bytes[5] === 'I'.charCodeAt(0);
      return { from: 'server', kind: SERVER[type] ?? type, bytes, text: '', isIdle };
    }
    const text = this.#textOf(type, bytes.subarray(5).toString().split('\0'));
    const kind = [CLIENT[type] ?? type, text.trim().split(/\s/)[0]].join(' ').trim();
    return { from: 'client', kind, bytes, text, isIdle: false };
  }

  #textOf(type: string, [first = '', second = '']: readonly string[]): string {
    // As in the source: a statement gets the schema of its tables when it is sent.
    if (type === 'P') this.#texts.set(first, second.replace(/"(?:public|test_\w+)"\./g, ''));
    if (type === 'P') return second;
    return type === 'Q' ? first : type === 'B' ? (this.#texts.get(second) ?? '') : '';
  }
}
