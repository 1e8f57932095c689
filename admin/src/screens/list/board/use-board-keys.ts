import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { announce } from '../../../base/announce.ts';
import { t } from '../../../base/i18n.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { titleOfRow } from '../cards/card-fields.ts';
import type { LaneRows } from './board-moves.ts';
import type { Lane } from './board-settings.ts';
import { laneLabel, type Placed } from './use-board.ts';

/** A card that was picked up by keyboard, and the column that it would go to. */
interface Held {
  readonly card: Placed;
  readonly target: number;
}

export interface BoardKeysOptions {
  readonly meta: Meta;
  readonly field: Field;
  readonly lanes: readonly Lane[];
  readonly rowsOf: (lane: number) => LaneRows | null;
  readonly canMoveRow: (row: Placed['row']) => boolean;
  readonly move: (card: Placed, to: string | null) => void;
}

/**
 * The keyboard on a board: arrows go from card to card. Space picks a card up, the arrows choose its column, Space
 * or Enter puts it down, Escape lets it stay.
 */
export function useBoardKeys({ meta, field, lanes, rowsOf, canMoveRow, move }: BoardKeysOptions) {
  const board = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Readonly<Record<number, number>>>({});
  const [held, setHeld] = useState<Held | null>(null);
  const wanted = useRef<{ readonly lane: number; readonly place: number } | null>(null);
  // A card gets the focus when it is mounted, which scrolling to it can take a render.
  useEffect(() => {
    const goal = wanted.current;
    const card = goal && cardAt(board.current, goal.lane, goal.place);
    if (!card) return;
    wanted.current = null;
    card.querySelector('a')?.focus();
    card.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  const focus = (lane: number, place: number) => {
    const length = rowsOf(lane)?.length ?? 0;
    if (length === 0) return;
    const next = Math.max(0, Math.min(length - 1, place));
    wanted.current = { lane, place: next };
    setActive((before) => ({ ...before, [lane]: next }));
    const card = cardAt(board.current, lane, next);
    const list = board.current?.querySelector<HTMLElement>(`[data-lane="${lane}"] [data-scroll]`);
    if (!card && list) list.scrollTop = (list.scrollHeight / length) * next;
  };
  const aim = (target: number) => {
    const lane = lanes[target];
    if (!held || !lane) return;
    setHeld({ ...held, target });
    board.current
      ?.querySelector(`[data-lane="${target}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    announce(laneLabel(field, lane.value));
  };
  const put = (isKept: boolean) => {
    if (!held) return;
    const lane = lanes[held.target];
    setHeld(null);
    if (isKept && lane && lane.value !== held.card.lane) {
      move(held.card, lane.value);
      wanted.current = { lane: held.target, place: 0 };
      setActive((before) => ({ ...before, [held.target]: 0 }));
    } else announce(t('Not moved'));
  };
  const pick = (lane: number, place: number) => {
    const rows = rowsOf(lane);
    const row = rows?.at(place);
    const from = lanes[lane];
    if (!rows || !row || !from || !canMoveRow(row)) return announce(t('This record cannot be moved'));
    setHeld({ card: { row, lane: from.value, index: rows.indexOf(place) }, target: lane });
    announce(
      t('{title} picked up. The arrow keys choose a column, Enter moves it, Escape leaves it', {
        title: titleOfRow(meta, row),
      }),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const card =
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-card]') : null;
    const lane = Number(card?.closest<HTMLElement>('[data-lane]')?.dataset['lane']);
    if (!card || Number.isNaN(lane) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLButtonElement && [' ', 'Enter'].includes(event.key)) return;
    const place = Number(card.dataset['place']);
    const ahead = getComputedStyle(card).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const step = event.key === ahead ? 1 : event.key.startsWith('Arrow') ? -1 : 0;
    const isAcross = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    if (held && isAcross) aim(held.target + step);
    else if (held && (event.key === ' ' || event.key === 'Enter')) put(true);
    else if (held && (event.key === 'Escape' || event.key === 'Tab')) put(false);
    else if (event.key === ' ') pick(lane, place);
    else if (isAcross) focus(nextLane(lane, step, lanes.length, rowsOf), place);
    else if (event.key === 'ArrowDown') focus(lane, place + 1);
    else if (event.key === 'ArrowUp') focus(lane, place - 1);
    else if (event.key === 'Home') focus(lane, 0);
    else if (event.key === 'End') focus(lane, Number.MAX_SAFE_INTEGER);
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };
  return { board, active, held, onKeyDown };
}

function cardAt(board: HTMLElement | null, lane: number, place: number): HTMLElement | null {
  return board?.querySelector<HTMLElement>(`[data-lane="${lane}"] [data-place="${place}"]`) ?? null;
}

// Columns without cards have nothing to focus.
function nextLane(from: number, step: number, count: number, rowsOf: BoardKeysOptions['rowsOf']): number {
  for (let lane = from + step; lane >= 0 && lane < count; lane += step) if (rowsOf(lane)?.length) return lane;
  return from;
}
