import { readFileSync } from 'node:fs';

/** One change below the recorded directory, as recorder.c describes it. */
export type Change =
  | { readonly kind: 'create'; readonly path: string; readonly ino: string }
  | { readonly kind: 'write'; readonly ino: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'size'; readonly ino: string; readonly size: number }
  | { readonly kind: 'sync'; readonly ino: string }
  | { readonly kind: 'entries'; readonly path: string }
  | { readonly kind: 'mkdir'; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'unlink' | 'rmdir'; readonly path: string }
  | { readonly kind: 'promise'; readonly promise: string };

/** The changes of a record, in order. */
export function readRecord(file: string): Change[] {
  const record = readFileSync(file);
  const changes: Change[] = [];
  for (let at = 0; at < record.length; ) {
    const end = record.indexOf(10, at);
    const [letter = '', one = '', two = '', three = ''] = record.toString('utf8', at, end).split('\t');
    at = end + 1;
    const length = letter === 'W' ? Number(three) : 0;
    changes.push(changeOf(letter, one, two, record.subarray(at, at + length)));
    at += length;
  }
  return changes;
}

function changeOf(letter: string, one: string, two: string, bytes: Buffer): Change {
  switch (letter) {
    case 'O':
      return { kind: 'create', path: one, ino: two };
    case 'W':
      return { kind: 'write', ino: one, at: Number(two), bytes };
    case 'T':
      return { kind: 'size', ino: one, size: Number(two) };
    case 'S':
      return { kind: 'sync', ino: one };
    case 'Y':
      return { kind: 'entries', path: one };
    case 'M':
      return { kind: 'mkdir', path: one };
    case 'R':
      return { kind: 'rename', path: one, to: two };
    case 'L':
      return { kind: 'link', path: one, to: two };
    case 'U':
      return { kind: 'unlink', path: one };
    case 'X':
      return { kind: 'rmdir', path: one };
    case 'A':
      return { kind: 'promise', promise: decodeURIComponent(one) };
    default:
      throw new Error(`the record has a line of the unknown kind ${letter}`);
  }
}
