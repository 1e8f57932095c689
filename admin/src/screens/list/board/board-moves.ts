import { createStore } from '../../../base/store.ts';
import type { Row } from '../../../grid/list-requests.ts';

/** A card in another column than the loaded rows say, until these say it, too. */
export interface Move {
  readonly name: string;
  /** With its new value. */
  readonly row: Row;
  readonly from: string | null;
  /** Its place among the rows of its former column. */
  readonly index: number;
  readonly to: string | null;
}

/** The moves of a board that the loaded rows do not show yet. */
export function createMoves() {
  const moves = createStore<readonly Move[]>([]);
  return {
    ...moves,
    add: (move: Move) => moves.set([move, ...moves.get().filter(({ name }) => name !== move.name)]),
    remove: (move: Move) => moves.set(moves.get().filter((one) => one !== move)),
  };
}

export type Moves = ReturnType<typeof createMoves>;

/** The cards of a column: the loaded rows, without those that have left and with those that have come. */
export interface LaneRows {
  readonly length: number;
  /** The card at a place; undefined while it loads. */
  readonly at: (place: number) => Row | undefined;
  /** The place of a card among the loaded rows. */
  readonly indexOf: (place: number) => number;
}

/** Applies moves to the rows of a column. */
export function movedRows(
  moves: readonly Move[],
  lane: string | null,
  count: number,
  loaded: (index: number) => Row | undefined,
): LaneRows {
  // A row that has already left its place has been loaded again.
  const gone = moves
    .filter(({ from, index, name }) => from === lane && loaded(index)?.['name'] === name)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
  const top = new Set(moves.map((_, index) => loaded(index)?.['name']));
  const come = moves.filter(({ to, name }) => to === lane && !top.has(name));
  const indexOf = (place: number) =>
    gone.reduce((index, left) => (left <= index ? index + 1 : index), place - come.length);
  return {
    length: Math.max(0, count - gone.length) + come.length,
    at: (place) => (place < come.length ? come[place]?.row : loaded(indexOf(place))),
    indexOf,
  };
}
