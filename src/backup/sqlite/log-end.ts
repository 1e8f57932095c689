import { nullIfDamaged } from '../store/damaged-backup.ts';
import type { Manifest, SqliteCopy } from '../store/manifest.ts';
import type { LogSegment, Repository } from '../store/repository.ts';
import { decodeSegment, type SegmentHead } from './segment.ts';

/** The last state that a continuous log leads to. */
export interface LogEnd {
  readonly epoch: string;
  /** Of the last object, which may be a piece of a segment that was not finished. */
  readonly sequence: number;
  readonly head: SegmentHead;
}

type Log = NonNullable<SqliteCopy['log']>;

/** The end of the log of the newest backup with a log; null when there is none, or it has nothing yet. */
export async function findEnd(repository: Repository): Promise<LogEnd | null> {
  const newest = await newestWithLog(repository);
  const log = newest && logOf(newest);
  if (!log) return null;
  const { epoch } = log;
  const pieces = await piecesOf(repository, log);
  const sequence = pieces.at(-1)?.sequence ?? 0;
  for (let at = pieces.length - 1; at >= 0; ) {
    const head = await headOf(pieces[at], epoch);
    if (head.piece === head.pieces - 1) return { epoch, sequence, head };
    at -= head.piece + 1;
  }
  return null;
}

/** The newest backup with a continuous log that can be read; null without one. */
export async function newestWithLog(repository: Repository): Promise<Manifest | null> {
  for (const name of [...(await repository.names())].reverse()) {
    const manifest = await repository.manifest(name).catch(nullIfDamaged);
    if (manifest && logOf(manifest)) return manifest;
  }
  return null;
}

/** The continuous log that follows a backup; null without one. */
export function logOf({ database }: Manifest): Log | null {
  return 'log' in database ? database.log : null;
}

/** The last moment of a log up to a given one; null when it has none. */
export async function reachedBefore(repository: Repository, log: Log, at: number): Promise<number | null> {
  const pieces = await piecesOf(repository, log);
  let reached: number | null = null;
  for (let [low, high] = [0, pieces.length]; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const { moment } = await headOf(pieces[middle], log.epoch);
    if (moment > at) high = middle;
    else {
      reached = moment;
      low = middle + 1;
    }
  }
  return reached;
}

async function piecesOf(repository: Repository, { epoch, after }: Log): Promise<LogSegment[]> {
  const pieces: LogSegment[] = [];
  for await (const piece of repository.logs(epoch, after)) pieces.push(piece);
  return pieces;
}

async function headOf(piece: LogSegment | undefined, epoch: string): Promise<SegmentHead> {
  if (!piece) throw new RangeError('there is no such piece of the log');
  return decodeSegment(await piece.read(), `log/${epoch}/${piece.sequence}`).head;
}
