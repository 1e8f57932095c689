import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Change } from './record.ts';

/** What becomes of a change that no sync covers when the power fails. Numbers come from a seed. */
export interface Fate {
  /** False: it is lost. */
  keeps(): boolean;
  /** How many of the sectors of a write reach the disk, of those there are. */
  sectors(all: number): number;
}

const SECTOR = 512;

type Unsynced = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

class File {
  /** As the last sync left it. */
  content: Buffer = Buffer.alloc(0);
  unsynced: Unsynced[] = [];
}

class Directory {
  /** As the last sync left it. */
  readonly entries = new Map<string, Node>();
}

type Node = File | Directory;

/** A change of entries. A rename is one change of two: both or none of its parts reach the disk. */
interface EntryChange {
  readonly directories: readonly Directory[];
  apply(entriesOf: (directory: Directory) => Map<string, Node>): void;
}

/**
 * A disk that keeps only what was synced: the bytes of a file with a sync of the file, its name with a sync of the
 * directory. Other changes are lost, kept or torn, each by itself, when the power fails. This is what POSIX promises;
 * file systems in use keep more.
 */
export class Disk {
  readonly #root = new Directory();
  /** What a process sees now. */
  readonly #now = new Map<string, Node>([['.', this.#root]]);
  readonly #files = new Map<string, File>();
  #pending: EntryChange[] = [];

  do(change: Change): void {
    switch (change.kind) {
      case 'create': {
        const file = new File();
        this.#files.set(change.ino, file);
        this.#add(change.path, file);
        return;
      }
      case 'mkdir':
        this.#add(change.path, new Directory());
        return;
      case 'link':
        this.#add(change.to, this.#at(change.path));
        return;
      case 'rename':
        this.#rename(change.path, change.to);
        return;
      case 'unlink':
      case 'rmdir':
        this.#remove(change.path);
        return;
      case 'write':
        this.#file(change.ino).unsynced.push({ at: change.at, bytes: change.bytes });
        return;
      case 'size':
        this.#file(change.ino).unsynced.push({ size: change.size });
        return;
      case 'sync': {
        const file = this.#file(change.ino);
        file.content = applied(file.content, file.unsynced);
        file.unsynced = [];
        return;
      }
      case 'entries': {
        const directory = this.#at(change.path);
        const done = this.#pending.filter(({ directories }) => directories.some((one) => one === directory));
        for (const one of done) one.apply(({ entries }) => entries);
        this.#pending = this.#pending.filter((one) => !done.includes(one));
        return;
      }
      case 'promise':
    }
  }

  /** Writes what is left after a power failure into a directory. */
  failInto(place: string, fate: Fate): void {
    const left = new Map<Directory, Map<string, Node>>();
    const entriesOf = (directory: Directory) => {
      const entries = left.get(directory) ?? new Map(directory.entries);
      left.set(directory, entries);
      return entries;
    };
    for (const change of this.#pending) if (fate.keeps()) change.apply(entriesOf);
    const write = (path: string, node: Node) => {
      if (node instanceof File) {
        writeFileSync(path, survivor(node, fate), { mode: 0o600 });
        return;
      }
      mkdirSync(path, { recursive: true, mode: 0o700 });
      for (const [name, entry] of entriesOf(node)) write(join(path, name), entry);
    };
    write(place, this.#root);
  }

  #add(path: string, node: Node): void {
    const directory = this.#parent(path);
    this.#now.set(path, node);
    const name = nameOf(path);
    this.#pending.push({ directories: [directory], apply: (of) => void of(directory).set(name, node) });
  }

  #remove(path: string): void {
    const directory = this.#parent(path);
    this.#now.delete(path);
    const name = nameOf(path);
    this.#pending.push({ directories: [directory], apply: (of) => void of(directory).delete(name) });
  }

  #rename(from: string, to: string): void {
    const node = this.#at(from);
    const [source, target] = [this.#parent(from), this.#parent(to)];
    this.#now.delete(from);
    this.#now.set(to, node);
    this.#pending.push({
      directories: [source, target],
      apply(of) {
        of(source).delete(nameOf(from));
        of(target).set(nameOf(to), node);
      },
    });
  }

  #at(path: string): Node {
    const node = this.#now.get(path);
    if (!node) throw new Error(`the record has no ${path}`);
    return node;
  }

  #parent(path: string): Directory {
    const parent = this.#at(dirname(path));
    if (!(parent instanceof Directory)) throw new Error(`${dirname(path)} is no directory`);
    return parent;
  }

  #file(ino: string): File {
    const file = this.#files.get(ino);
    if (!file) throw new Error(`the record has no file ${ino}`);
    return file;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function written(content: Buffer, change: Unsynced): Buffer {
  if ('size' in change) return resized(content, change.size);
  const whole = resized(content, Math.max(content.length, change.at + change.bytes.length));
  change.bytes.copy(whole, change.at);
  return whole;
}

/** All changes in order. Without a truncation the content grows only once. */
function applied(content: Buffer, changes: readonly Unsynced[]): Buffer {
  const ends = changes.map((change) => ('size' in change ? 0 : change.at + change.bytes.length));
  const grows = changes.every((change) => 'bytes' in change);
  const most = grows ? ends.reduce((a, b) => Math.max(a, b), content.length) : content.length;
  return changes.reduce(written, resized(content, most));
}

function resized(content: Buffer, size: number): Buffer {
  if (size <= content.length) return content.subarray(0, size);
  const whole = Buffer.alloc(size);
  content.copy(whole);
  return whole;
}

function survivor(file: File, fate: Fate): Buffer {
  let content: Buffer = Buffer.from(file.content);
  for (const change of file.unsynced) {
    if ('size' in change) {
      if (fate.keeps()) content = written(content, change);
      continue;
    }
    const sectors = Math.ceil(change.bytes.length / SECTOR);
    const kept = fate.sectors(sectors) * SECTOR;
    if (kept > 0) content = written(content, { at: change.at, bytes: change.bytes.subarray(0, kept) });
  }
  return content;
}
