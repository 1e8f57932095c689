import { type Point, startPointerDrag } from '../pointer-drag.ts';

/** Pixels from an edge where the board scrolls, and per frame. */
const EDGE = 48;
const STEP = 14;

/** Drags a card over a board. `onDrop` gets the column below it. */
export function startCardDrag(
  press: PointerEvent,
  {
    board,
    card,
    onDrop,
  }: {
    readonly board: HTMLElement;
    readonly card: HTMLElement;
    readonly onDrop: (lane: HTMLElement) => void;
  },
): void {
  let lane: HTMLElement | null = null;
  const enter = (next: HTMLElement | null) => {
    if (next === lane) return;
    if (lane) delete lane.dataset['over'];
    if (next) next.dataset['over'] = '';
    lane = next;
  };
  startPointerDrag(press, {
    source: card,
    hasGhost: true,
    onBegin: () => {
      board.dataset['dragging'] = '';
    },
    onFrame: (at) => {
      enter(laneAt(board, at));
      return scrollAtEdges(board, lane, at);
    },
    onEnd: (at) => {
      delete board.dataset['dragging'];
      const dropped = at && laneAt(board, at);
      enter(null);
      if (dropped) onDrop(dropped);
    },
  });
}

function laneAt(board: HTMLElement, { x, y }: Point): HTMLElement | null {
  const box = board.getBoundingClientRect();
  if (y < box.top - EDGE || y > box.bottom + EDGE) return null;
  for (const lane of board.querySelectorAll<HTMLElement>('[data-lane]')) {
    const { left, right } = lane.getBoundingClientRect();
    if (x >= left && x <= right) return lane;
  }
  return null;
}

function scrollAtEdges(board: HTMLElement, lane: HTMLElement | null, at: Point): boolean {
  const box = board.getBoundingClientRect();
  const across = at.x < box.left + EDGE ? -STEP : at.x > box.right - EDGE ? STEP : 0;
  const before = board.scrollLeft;
  if (across !== 0) board.scrollLeft += across;
  const list = lane?.querySelector<HTMLElement>('[data-scroll]');
  const edges = list?.getBoundingClientRect();
  const down = !edges ? 0 : at.y < edges.top + EDGE / 2 ? -STEP : at.y > edges.bottom - EDGE / 2 ? STEP : 0;
  if (list && down !== 0) list.scrollTop += down;
  return board.scrollLeft !== before || down !== 0;
}
