import type { LogPiece, PageImages } from '../../db/followed-log.ts';
import { isRecord } from '../../kernel/value.ts';
import { DamagedBackup } from '../store/damaged-backup.ts';
import { decodePages, encodePages } from './page-images.ts';

/**
 * What is said of an object of the continuous log. A segment holds what changed since the segment before; a large
 * one has several pieces. Only its end is a state of the database.
 */
export interface SegmentHead extends Omit<LogPiece, 'sequence' | 'changed'> {
  readonly format: 1;
  /** The last row of the list of stored files that was seen; null for none. */
  readonly file: FileMark | null;
  /** SHA-256 of the stored files that it brings; absent in segments of earlier versions. */
  readonly brought?: readonly string[];
}

/** A row of `_stored_content`. */
export interface FileMark {
  readonly row: number;
  readonly key: string;
}

/** The head as JSON behind its length (32 bits, the lowest byte first), then the pages. */
export function encodeSegment(head: SegmentHead, pages: PageImages): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, encodePages(pages)]);
}

/** `name`: of the object, for the error. @throws DamagedBackup */
export function decodeSegment(bytes: Buffer, name: string): { head: SegmentHead; pages: PageImages } {
  const length = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
  const head = parseHead(bytes.toString('utf8', 4, 4 + length), name);
  return { head, pages: decodePages(bytes.subarray(4 + length), head.pageSize, name) };
}

function parseHead(text: string, name: string): SegmentHead {
  try {
    const head: unknown = JSON.parse(text);
    if (isHead(head)) return head;
  } catch {
    // The same error follows.
  }
  throw new DamagedBackup(name, 'it is no piece of a log that this version knows');
}

function isHead(head: unknown): head is SegmentHead {
  if (!isRecord(head) || head.format !== 1) return false;
  const { end, file, brought = [] } = head;
  const numbers = [head.moment, head.pages, head.pageSize, head.piece, head.pieces];
  return (
    numbers.every((value) => Number.isSafeInteger(value) && Number(value) >= 0) &&
    Number(head.piece) < Number(head.pieces) &&
    isRecord(end) &&
    typeof end.salts === 'string' &&
    typeof end.checksum === 'string' &&
    Number.isSafeInteger(end.frame) &&
    Array.isArray(brought) &&
    brought.every((digest) => typeof digest === 'string') &&
    (file === null || (isRecord(file) && Number.isSafeInteger(file.row) && typeof file.key === 'string'))
  );
}
