/**
 * True for the error that Node throws after the garbage collector has found an open file handle. Node has closed the file
 * by then, and no code was interrupted, so the process can go on.
 */
export function isStrayHandle(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_INVALID_STATE' &&
    error.message.startsWith('A FileHandle object was closed during garbage collection')
  );
}
