import { ServiceError } from './errors.ts';

/** The user of a disk. */
export type SpaceUser = 'database' | 'files';

/** A disk is full. Nothing was written, and a retry may succeed once there is room. */
export class OutOfSpace extends ServiceError {
  readonly of: SpaceUser;

  constructor(of: SpaceUser, cause?: unknown) {
    const message =
      of === 'database'
        ? 'The server has no space left for its database'
        : 'There is no space left to store the file';
    super('InsufficientStorageError', message, { headers: { 'Retry-After': '30' } });
    this.of = of;
    this.cause = cause;
  }
}

/** True for a file system's error that there is no room for this process. */
export function isOutOfSpace(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // The last code means a file size limit that the system sets for this process.
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}
