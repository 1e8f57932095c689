import type { Duplex } from 'node:stream';
import type { Client, ClientBase, ClientConfig } from 'pg';
import { ReadOnlyServer } from '../driver-errors.ts';
import type { Hosts } from './hosts.ts';
import type { Awaiting, Silence } from './silence.ts';

/** Fixes the format of results, whatever the server's defaults. Poolers keep these for each client. */
const FORMATS = { DateStyle: 'ISO,YMD', TimeZone: 'UTC', standard_conforming_strings: 'on' };

/**
 * The driver's client with four changes. It leads to the host that accepts changes, and breaks as soon as the
 * server says that it accepts none. It fixes the format of results when it connects. It gathers statements until
 * `later` calls back, and writes them together, since each write wakes the server. And it is guarded against
 * unreadable answers: a text longer than JavaScript can hold breaks the connection and fails its queries;
 * without the guard, the driver would end the process.
 */
export function ownClient(
  Driver: typeof Client,
  later: (write: () => void) => void,
  hosts: Hosts,
  silence: Silence | null,
): new (
  config?: ClientConfig,
) => Client {
  return class extends Driver {
    constructor(config?: ClientConfig) {
      const place = hosts.current;
      super({ ...config, connectionString: hosts.url(place) });
      const { connection } = this as unknown as { connection: WireConnection };
      silence?.watch(this as unknown as Awaiting);
      const startup = connection.startup.bind(connection);
      connection.startup = (parameters) => startup({ ...parameters, ...FORMATS });
      writeTogether(connection, later);
      const attach = connection.attachListeners.bind(connection);
      connection.attachListeners = (stream) => {
        attach(stream);
        guard(stream, () => silence?.heard());
      };
      followHost(this, connection, hosts, place);
    }
  };
}

/**
 * The driver's internal connection. It listens to the stream, or to the encrypted stream that replaces it.
 */
interface WireConnection {
  readonly stream: Duplex;
  attachListeners(stream: Duplex): void;
  startup(parameters: Readonly<Record<string, string>>): void;
  once(event: 'end', heard: () => void): void;
  on(event: 'parameterStatus', heard: (message: ParameterStatus) => void): void;
  _send(bytes: Buffer): boolean;
}

/** Breaks a connection to a server that turned out to accept no changes. */
export function breakOff(client: ClientBase, error: Error): void {
  (client as unknown as { connection: WireConnection }).connection.stream.destroy(error);
}

/** What PostgreSQL tells of itself when a client connects, and whenever it changes. */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

const ACCEPTS_NO_CHANGES = new Set(['in_hot_standby', 'default_transaction_read_only']);

function followHost(client: Client, connection: WireConnection, hosts: Hosts, place: number): void {
  const release = hosts.hold({ place, drop: (error) => connection.stream.destroy(error) });
  connection.once('end', () => {
    release();
    if (!(client as unknown as { _ending: boolean })._ending) hosts.lost(place);
  });
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (!hosts.isTold || parameterValue !== 'on' || !ACCEPTS_NO_CHANGES.has(parameterName)) return;
    connection.stream.destroy(new ReadOnlyServer('the server accepts no changes'));
  });
}

/** `heard`: called whenever bytes arrive. */
function guard(stream: Duplex, heard: () => void): void {
  for (const read of stream.listeners('data') as ((bytes: Buffer) => void)[]) {
    stream.off('data', read).on('data', (bytes: Buffer) => {
      heard();
      try {
        read(bytes);
      } catch (error) {
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }
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
