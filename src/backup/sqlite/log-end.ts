import type { SqliteCopy } from '../store/manifest.ts';
import type { LogSegment, Repository } from '../store/repository.ts';
import { decodeSegment, type SegmentHead } from './segment.ts';

/** The last state that a continuous log leads to. */
export interface LogEnd {
  readonly epoch: string;
  /** Of the last object, which may be a piece of a segment that was not finished. */
  readonly sequence: number;
  readonly head: SegmentHead;
}

/** The end of the log of the newest backup with a log; null when there is none, or it has nothing yet. */
export async function findEnd(repository: Repository): Promise<LogEnd | null> {
  const log = await newestLog(repository);
  if (!log) return null;
  const { epoch, after } = log;
  const pieces: LogSegment[] = [];
  for await (const piece of repository.logs(epoch, after)) pieces.push(piece);
  const sequence = pieces.at(-1)?.sequence ?? 0;
  for (let at = pieces.length - 1; at >= 0; ) {
    const piece = pieces[at] as LogSegment;
    const { head } = decodeSegment(await piece.read(), `log/${epoch}/${piece.sequence}`);
    if (head.piece === head.pieces - 1) return { epoch, sequence, head };
    at -= head.piece + 1;
  }
  return null;
}

async function newestLog(repository: Repository): Promise<SqliteCopy['log']> {
  for (const name of [...(await repository.names())].reverse()) {
    const { database } = await repository.manifest(name);
    if ('log' in database && database.log) return database.log;
  }
  return null;
}
