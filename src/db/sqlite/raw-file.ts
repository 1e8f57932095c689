import { fstatSync, openSync, read, statSync } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);
const opened = new Map<string, number>();

/**
 * Reads bytes of a database file past SQLite; fewer at its end.
 *
 * The descriptor stays open until the process ends: when a process closes any descriptor of a file, POSIX drops all
 * its locks on that file. Another process would then believe that it has the last connection, and delete the log
 * that this one writes to.
 */
export async function readRaw(path: string, buffer: Buffer, position: number): Promise<number> {
  const file = descriptor(path);
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await readAt(file, buffer, done, buffer.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

function descriptor(path: string): number {
  const known = opened.get(path);
  if (known !== undefined && isSameFile(path, known)) return known;
  const file = openSync(path, 'r');
  opened.set(path, file);
  return file;
}

function isSameFile(path: string, file: number): boolean {
  const [there, ours] = [statSync(path), fstatSync(file)];
  return there.ino === ours.ino && there.dev === ours.dev;
}
