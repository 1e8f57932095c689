import type { Random } from '../kernel/random.ts';

// 256 directories hold some thousand files each at a million files, and a new site soon has them all:
// creating a directory costs more than the file in it. The first ten characters of the name identify the
// process that wrote it, the rest is 128 random bits.
const KEY = /^[0-9a-f]{2}\/[0-9a-f]{10}-[0-9a-f]{32}(?:\.part)?$/;

// Keys made one after the other share a directory, so that objects stored at the same time share its sync.
const KEYS_IN_TURN = 64;

/** True for the part of a key before the slash: the name of a directory on a disk. */
export function isFan(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

/** The suffix of the remains of an interrupted `put`. */
export const PART = '.part';

/** Creates the keys of one storage, and recognises its own. */
export interface StorageKeys {
  next(): string;
  isOurs(key: string): boolean;
}

export function storageKeys(random: Random): StorageKeys {
  const instance = random.bytes(5).toString('hex');
  let fan = '';
  let left = 0;
  return {
    next() {
      const id = random.bytes(16).toString('hex');
      if (left === 0) [fan, left] = [id.slice(0, 2), KEYS_IN_TURN];
      left -= 1;
      return `${fan}/${instance}-${id}`;
    },
    isOurs: (key) => key.startsWith(`${instance}-`, 3),
  };
}

/** Also true for the key of remains. Anything else in a storage is foreign. */
export function isStorageKey(key: string): boolean {
  return KEY.test(key);
}

/** @throws Error for an invalid key, which then never becomes a path */
export function checkStorageKey(key: string): string {
  if (!isStorageKey(key)) throw new Error('not a storage key');
  return key;
}

/**
 * Name of the mark that says which site owns the storage. It is not a key, so no list of objects contains it.
 */
export const MARK_NAME = 'chancery-site.json';
