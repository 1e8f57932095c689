import type { Socket } from 'node:net';

/** The undocumented part of Node's socket that knows the progress of a large write. */
interface Dispatching {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

/**
 * Bytes of a connection that the system has accepted for sending. Without Node's figures, only whole writes
 * count.
 */
export function takenBytes(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = (socket as Dispatching)._handle ?? {};
  if (bytesWritten !== undefined && writeQueueSize !== undefined) return bytesWritten - writeQueueSize;
  return socket.bytesWritten - socket.writableLength;
}
