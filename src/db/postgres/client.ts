import type { Duplex } from 'node:stream';
import type { Client, ClientConfig } from 'pg';

/**
 * The driver's client with a guard against unreadable answers. A text longer than JavaScript can hold breaks
 * the connection and fails its queries; without the guard, the driver would end the process.
 */
export function guardedClient(Driver: typeof Client): new (config?: ClientConfig) => Client {
  return class extends Driver {
    constructor(config?: ClientConfig) {
      super(config);
      const { connection } = this as unknown as { connection: WireConnection };
      const attach = connection.attachListeners.bind(connection);
      connection.attachListeners = (stream) => {
        attach(stream);
        for (const read of stream.listeners('data') as ((bytes: Buffer) => void)[]) {
          stream.off('data', read).on('data', (bytes: Buffer) => {
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
  attachListeners(stream: Duplex): void;
}
