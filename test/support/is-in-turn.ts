import { stat } from 'node:fs/promises';

/** Whether a read ended in the turn of the event loop in which it began, so no thread took part. */
export async function isInTurn(read: () => Promise<unknown>): Promise<boolean> {
  // After a callback of I/O, immediates run before any message of a thread.
  await stat('.');
  let isThisTurn = true;
  setImmediate(() => {
    isThisTurn = false;
  });
  await read();
  return isThisTurn;
}
