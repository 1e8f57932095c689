import type { Socket } from 'node:net';

/** The part of a socket that Node does not document, and that alone knows how far a large write has come. */
interface Dispatching {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

/** Bytes that the system has taken from a connection to send them. Without Node's figures, only whole writes count. */
export function takenBytes(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = (socket as Dispatching)._handle ?? {};
  if (bytesWritten !== undefined && writeQueueSize !== undefined) return bytesWritten - writeQueueSize;
  return socket.bytesWritten - socket.writableLength;
}
