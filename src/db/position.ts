/**
 * A place in PostgreSQL's log of changes, the WAL. A server that has replayed it has all changes that were
 * committed before.
 */
export interface Position {
  /** Counts up with each promotion. */
  readonly timeline: number;
  /** Bytes since the beginning of the log. */
  readonly lsn: bigint;
}

/**
 * True when a server at this position has every change before `needed`. Two timelines share only their beginning,
 * so a position of another one tells nothing.
 */
export function covers(at: Position, needed: Position): boolean {
  return at.timeline === needed.timeline && at.lsn >= needed.lsn;
}

/** The later of two positions; `one`, if they are of two timelines. */
export function later(one: Position, other: Position): Position {
  return covers(other, one) ? other : one;
}

/** The position in PostgreSQL's form of an LSN, `16/B374D848`. */
export function positionOf(timeline: number, lsn: string): Position {
  const [high = '', low = ''] = lsn.split('/');
  return { timeline, lsn: (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`) };
}
