import type { Way } from '../../net/open-socket.ts';
import type { Connection } from './connection.ts';

/** The parsed URL of a receiver. */
export interface Destination {
  /** scheme://host:port */
  readonly origin: string;
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** Connections to one scheme, host and port, with the same TLS material. */
export interface ConnectionPool {
  readonly way: Way;
  /** The last used is at the end, so in quiet times the others age and close. */
  readonly idle: Connection[];
  inUse: number;
}
