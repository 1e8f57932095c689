/**
 * True for Node's error about an open file handle found by the garbage collector. Node has closed the file by
 * then, and no code was interrupted, so the process can continue.
 */
export function isStrayHandle(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_INVALID_STATE' &&
    error.message.startsWith('A FileHandle object was closed during garbage collection')
  );
}
