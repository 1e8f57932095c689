import { type Point, startPointerDrag } from '../pointer-drag.ts';
import { daysBetween } from './calendar-dates.ts';
import type { Shift } from './calendar-events.ts';

/** Minutes that a drag in a time grid goes by. */
const STEP = 15;
/** Pixels from the edge of the hours where they scroll, and per frame. */
const EDGE = 32;
const SCROLL = 10;

/** Drags an event, or its end, over the days of a calendar. */
export function startEventDrag(
  press: PointerEvent,
  {
    root,
    chip,
    isEnd,
    onDrop,
  }: {
    readonly root: HTMLElement;
    readonly chip: HTMLElement;
    readonly isEnd: boolean;
    readonly onDrop: (shift: Shift) => void;
  },
): void {
  const from = { x: press.clientX, y: press.clientY };
  const origin = dayAt(root, from);
  const hours = chip.closest<HTMLElement>('[data-scroll]');
  const scrolled = hours?.scrollTop ?? 0;
  const size = chip.style.blockSize;
  let over: HTMLElement | null = null;
  if (!origin) return;
  const minutesTo = (at: Point) => {
    const hour = Number(origin.dataset['hour'] ?? 0);
    if (hour === 0) return 0;
    const pixels = at.y - from.y + (hours?.scrollTop ?? 0) - scrolled;
    return STEP * Math.round((pixels * 60) / hour / STEP);
  };
  const enter = (next: HTMLElement | null) => {
    if (next === over) return;
    if (over) delete over.dataset['over'];
    if (next) next.dataset['over'] = '';
    over = next;
  };
  startPointerDrag(press, {
    source: chip,
    hasGhost: !isEnd,
    onBegin: () => {
      root.dataset['dragging'] = '';
    },
    onFrame: (at) => {
      enter(dayAt(root, at));
      if (isEnd && size !== '') {
        const hour = Number(origin.dataset['hour'] ?? 0);
        chip.style.blockSize = `${Math.max(12, Number.parseFloat(size) + (minutesTo(at) * hour) / 60)}px`;
      }
      return scrollAtEdges(hours, at);
    },
    onEnd: (at) => {
      delete root.dataset['dragging'];
      chip.style.blockSize = size;
      const day = at && dayAt(root, at);
      enter(null);
      if (!at || !day) return;
      const days = daysBetween(origin.dataset['day'] ?? '', day.dataset['day'] ?? '');
      onDrop({ days, minutes: minutesTo(at) });
    },
  });
}

// The events lie above the days.
function dayAt(root: HTMLElement, { x, y }: Point): HTMLElement | null {
  for (const element of document.elementsFromPoint(x, y)) {
    const day = element instanceof HTMLElement ? element.closest<HTMLElement>('[data-day]') : null;
    if (day && root.contains(day)) return day;
  }
  return null;
}

function scrollAtEdges(hours: HTMLElement | null, at: Point): boolean {
  if (!hours) return false;
  const box = hours.getBoundingClientRect();
  const down = at.y < box.top + EDGE ? -SCROLL : at.y > box.bottom - EDGE ? SCROLL : 0;
  const before = hours.scrollTop;
  hours.scrollTop += down;
  return hours.scrollTop !== before;
}
