import type { PointerEvent } from 'react';
import { startCardDrag } from './board-drag.ts';
import type { Placed } from './use-board.ts';
import type { BoardKeysOptions } from './use-board-keys.ts';

/** The pointer on a board: a pressed card follows it, and goes to the column where it is let go. */
export function cardPress({ lanes, rowsOf, move }: Pick<BoardKeysOptions, 'lanes' | 'rowsOf' | 'move'>) {
  return (event: PointerEvent<HTMLDivElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const card = target?.closest<HTMLElement>('[data-card]');
    if (!card || event.button !== 0 || target?.closest('button') || !('movable' in card.dataset)) return;
    const from = Number(card.closest<HTMLElement>('[data-lane]')?.dataset['lane']);
    const place = Number(card.dataset['place']);
    const [rows, lane] = [rowsOf(from), lanes[from]];
    const row = rows?.at(place);
    if (!rows || !row || !lane) return;
    const held: Placed = { row, lane: lane.value, index: rows.indexOf(place) };
    startCardDrag(event.nativeEvent, {
      board: event.currentTarget,
      card,
      onDrop: (over) => {
        const to = lanes[Number(over.dataset['lane'])];
        if (to) move(held, to.value);
      },
    });
  };
}
