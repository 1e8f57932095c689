import type { Random } from '../kernel/random.ts';

// 256 directories hold some thousand files each when there are a million, and a young site has soon made them all: a
// new directory costs more than the file in it. The first ten characters of the name tell which process wrote it, the
// rest is 128 bits of randomness.
const KEY = /^[0-9a-f]{2}\/[0-9a-f]{10}-[0-9a-f]{32}(?:\.part)?$/;

/** True for what keys begin with, before the slash: the name of a directory on a disk. */
export function isFan(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

/** Ends the key of what an interrupted `put` left. */
export const PART = '.part';

/** Keys of one storage, which knows its own again. */
export interface StorageKeys {
  next(): string;
  isOurs(key: string): boolean;
}

export function storageKeys(random: Random): StorageKeys {
  const instance = random.bytes(5).toString('hex');
  return {
    next() {
      const id = random.bytes(16).toString('hex');
      return `${id.slice(0, 2)}/${instance}-${id}`;
    },
    isOurs: (key) => key.startsWith(`${instance}-`, 3),
  };
}

/** Also true for the key of a leftover. Everything else in a storage is somebody else's. */
export function isStorageKey(key: string): boolean {
  return KEY.test(key);
}

/** @throws Error for what is no key: it never becomes a path */
export function requireKey(key: string): string {
  if (!isStorageKey(key)) throw new Error('not a storage key');
  return key;
}

/** Name of the mark that says whose storage it is. No key, so no list of objects has it. */
export const MARK_NAME = 'chancery-site.json';
