import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';

/** The reason why the file system refuses a path, and a remedy, in one or two sentences. */
export function whyUnusable(path: string, error: unknown): string {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return whose(path, error);
    case 'EROFS':
      return `${path} is on a read-only file system. Mount it writable, or choose another directory.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `No space is left for ${path}. Make room on its disk.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${existing(path)} is a file, not a directory. Choose another directory.`;
    case 'ENOENT':
      return `${existing(path)} takes no new directories or files. Choose another directory.`;
    default:
      return `${path}: ${messageOf(error)}`;
  }
}

/** The message of an error, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function whose(path: string, error: unknown): string {
  const there = existing(path);
  const { uid } = statSync(there);
  // Windows has another permission system, and no such numbers.
  const me = process.getuid?.();
  if (me === undefined || (me === uid && errorCode(error) === 'EPERM')) return `${path}: ${messageOf(error)}`;
  if (me === uid) return `The permissions of ${there} keep its owner out. Change them: chmod u+rwX ${there}`;
  return `${there} belongs to user ${uid}, and this process runs as user ${me}. Run it as user ${uid}, or choose another directory.`;
}

// A file that does not exist yet has no owner, so its future directory is checked.
function existing(path: string): string {
  try {
    statSync(path);
    return path;
  } catch {
    return dirname(path) === path ? path : existing(dirname(path));
  }
}
