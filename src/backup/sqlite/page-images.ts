import type { PageImages } from '../../db/followed-log.ts';
import { DamagedBackup } from '../store/damaged-backup.ts';

/** Bytes of a part of a database. */
export const PART_BYTES = 1024 * 1024;

/** So many pages fit into a part, with their numbers. */
export function pagesPerPart(pageSize: number): number {
  return Math.max(1, Math.floor((PART_BYTES - 4) / (pageSize + 4)));
}

/** Pages as bytes: their number, the number of each (32 bits, the lowest byte first), then the images. */
export function encodePages({ numbers, images }: PageImages): Buffer {
  const head = Buffer.allocUnsafe(4 + 4 * numbers.length);
  head.writeUInt32LE(numbers.length, 0);
  numbers.forEach((page, index) => {
    head.writeUInt32LE(page, 4 + 4 * index);
  });
  return Buffer.concat([head, images]);
}

/** `name`: of the object, for the error. @throws DamagedBackup */
export function decodePages(bytes: Buffer, pageSize: number, name: string): PageImages {
  const count = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
  const start = 4 + 4 * count;
  if (bytes.length !== start + count * pageSize) throw new DamagedBackup(name, 'its pages are not whole');
  const numbers = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(4 + 4 * index));
  if (numbers.includes(0)) throw new DamagedBackup(name, 'it has a page 0');
  return { numbers, images: bytes.subarray(start) };
}
