import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { PageImages } from '../../db/followed-log.ts';
import { syncDirectory } from '../../file/disk-directory.ts';
import type { DatabaseProgress } from '../engine.ts';
import { DamagedBackup } from '../store/damaged-backup.ts';
import type { SqliteCopy } from '../store/manifest.ts';
import type { LogSegment, Repository } from '../store/repository.ts';
import { decodePages, PART_BYTES } from './page-images.ts';
import { decodeSegment, type SegmentHead } from './segment.ts';

/** Parts that are fetched at once, and pieces of the log that are fetched before they are needed. */
const PARTS_AT_ONCE = 4;
const SEGMENTS_AHEAD = 16;

type Source = Pick<Repository, 'getPart' | 'logs'>;

/** What to restore: a copy, and the moment whose state is wanted; null for the state of the copy itself. */
interface Wanted {
  readonly copy: SqliteCopy;
  /** The moment of the copy. */
  readonly moment: number;
  readonly at: number | null;
}

/**
 * Writes the database file of a backup, with the changes of the continuous log up to a moment. The file must not
 * exist; it is removed again if this fails. Resolves to the moment that it holds: all commits before it are there.
 * @throws DamagedBackup
 */
export async function restoreSqlite(
  source: Source,
  wanted: Wanted,
  path: string,
  progress: DatabaseProgress = () => {},
): Promise<number> {
  const file = await open(path, 'wx+', 0o600);
  try {
    const moment = await write(source, wanted, file, progress);
    await file.sync();
    await file.close();
    await syncDirectory(dirname(path));
    return moment;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

async function write(
  source: Source,
  { copy, moment, at }: Wanted,
  file: FileHandle,
  progress: DatabaseProgress,
): Promise<number> {
  const { pageSize, pages, overlay } = copy;
  await writeParts(source, copy, file, progress);
  for (const id of overlay) {
    await writePages(file, decodePages(await source.getPart(id), pageSize, id), pageSize);
  }
  let state: Pick<SegmentHead, 'moment' | 'pages'> = { moment, pages };
  if (copy.log && at !== null) state = await applyLog(source, copy.log, at, file, state);
  // Pages that the database gave back, or that a later commit has added while the copy was made.
  await file.truncate(state.pages * pageSize);
  return state.moment;
}

async function writeParts(
  source: Source,
  { parts, pageSize, pages }: SqliteCopy,
  file: FileHandle,
  progress: DatabaseProgress,
): Promise<void> {
  let done = 0;
  const writePart = async ([part, id]: [number, string]): Promise<void> => {
    const bytes = await source.getPart(id);
    await writeAt(file, bytes, part * PART_BYTES);
    done += bytes.length;
    progress(done, pages * pageSize);
  };
  await Readable.from(parts.entries()).forEach(writePart, { concurrency: PARTS_AT_ONCE });
}

async function applyLog(
  source: Source,
  { epoch, after }: NonNullable<SqliteCopy['log']>,
  at: number,
  file: FileHandle,
  start: Pick<SegmentHead, 'moment' | 'pages'>,
): Promise<Pick<SegmentHead, 'moment' | 'pages'>> {
  let reached = start;
  try {
    for await (const pieces of wholeSegments(source, epoch, after)) {
      const head = (pieces.at(-1) as Piece).head;
      if (head.moment > at) break;
      // The last one is still in memory, and mostly the only one.
      for (const { segment, pages } of pieces) {
        await writePages(file, pages ?? (await readPiece(segment, epoch)).pages, head.pageSize);
      }
      reached = head;
      // All commits before the moment are there.
      if (head.moment === at) break;
    }
  } catch (error) {
    if (error instanceof DamagedBackup)
      error.message += `. --at ${isoOf(reached.moment)} restores what is before it`;
    throw error;
  }
  return reached;
}

/** Reads all of the log that follows a copy. Adds the SHA-256 of the files that it brings. @throws DamagedBackup */
export async function checkLog(source: Source, { log }: SqliteCopy, files: Set<string>): Promise<void> {
  if (!log) return;
  for await (const pieces of wholeSegments(source, log.epoch, log.after)) {
    for (const { segment, pages, head } of pieces) {
      if (!pages) await readPiece(segment, log.epoch);
      for (const digest of head.brought ?? []) files.add(digest);
    }
  }
}

function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}

interface Piece {
  readonly segment: LogSegment;
  readonly head: SegmentHead;
  readonly pages: PageImages | null;
}

/**
 * The segments with all their pieces. A server that was killed may have left some pieces of a segment; the one that
 * follows it holds all that they held.
 * @throws DamagedBackup for an object that is missing before a later one
 */
async function* wholeSegments(
  source: Source,
  epoch: string,
  after: number,
): AsyncGenerator<readonly Piece[]> {
  let pieces: Piece[] = [];
  let last = after;
  for await (const { segment, head, pages } of readAhead(source, epoch, after)) {
    if (segment.sequence !== last + 1) throw new DamagedBackup(`log/${epoch}/${last + 1}`, 'it is missing');
    last = segment.sequence;
    if (head.piece === 0) pieces = [];
    if (head.piece !== pieces.length) {
      throw new DamagedBackup(`log/${epoch}/${last}`, 'it continues another segment than the one before it');
    }
    const isLast = head.piece === head.pieces - 1;
    pieces.push({ segment, head, pages: isLast ? pages : null });
    if (!isLast) continue;
    yield pieces;
    pieces = [];
  }
}

/** A day has a hundred thousand segments, so the next ones are on their way while one is applied. */
async function* readAhead(source: Source, epoch: string, after: number): AsyncGenerator<Piece> {
  const begun: Promise<Piece>[] = [];
  for await (const segment of source.logs(epoch, after)) {
    const piece = readPiece(segment, epoch);
    // Its error is met in its turn, or not at all when the end comes before it.
    piece.catch(() => {});
    begun.push(piece);
    const next = begun.length > SEGMENTS_AHEAD && begun.shift();
    if (next) yield next;
  }
  for (const piece of begun) yield piece;
}

async function readPiece(segment: LogSegment, epoch: string): Promise<Piece & { pages: PageImages }> {
  const { head, pages } = decodeSegment(await segment.read(), `log/${epoch}/${segment.sequence}`);
  return { segment, head, pages };
}

async function writePages(
  file: FileHandle,
  { numbers, images }: PageImages,
  pageSize: number,
): Promise<void> {
  for (const [index, page] of numbers.entries()) {
    await writeAt(file, images.subarray(index * pageSize, (index + 1) * pageSize), (page - 1) * pageSize);
  }
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
