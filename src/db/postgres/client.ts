import type { Duplex } from 'node:stream';
import type { Client, ClientConfig } from 'pg';
import type { Awaiting, Silence } from './silence.ts';

/**
 * The driver's client with two changes. It gathers statements until `later` calls back, and writes them
 * together, since each write wakes the server. And it is guarded against unreadable answers: a text longer than
 * JavaScript can hold breaks the connection and fails its queries; without the guard, the driver would end the
 * process.
 */
export function ownClient(
  Driver: typeof Client,
  later: (write: () => void) => void,
  silence: Silence,
): new (
  config?: ClientConfig,
) => Client {
  return class extends Driver {
    constructor(config?: ClientConfig) {
      super(config);
      const { connection } = this as unknown as { connection: WireConnection };
      silence.watch(this as unknown as Awaiting);
      writeTogether(connection, later);
      const attach = connection.attachListeners.bind(connection);
      connection.attachListeners = (stream) => {
        attach(stream);
        for (const read of stream.listeners('data') as ((bytes: Buffer) => void)[]) {
          stream.off('data', read).on('data', (bytes: Buffer) => {
            silence.heard();
            try {
              read(bytes);
            } catch (error) {
              stream.destroy(error instanceof Error ? error : new Error(String(error)));
            }
          });
        }
      };
    }
  };
}

/**
 * The driver's internal connection. It listens to the stream, or to the encrypted stream that replaces it.
 */
interface WireConnection {
  readonly stream: Duplex;
  attachListeners(stream: Duplex): void;
  _send(bytes: Buffer): boolean;
}

function writeTogether(connection: WireConnection, later: (write: () => void) => void): void {
  const send = connection._send.bind(connection);
  let corked = false;
  connection._send = (bytes) => {
    if (!corked) {
      const { stream } = connection;
      corked = true;
      stream.cork();
      later(() => {
        corked = false;
        stream.uncork();
      });
    }
    return send(bytes);
  };
}
