import { type KeyboardEvent, useState } from 'react';

/** A cell of the matrix, counted from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Moves the focus between the check boxes of a grid, which has one tab stop. Places without a box are
 * skipped. `data-row` and `data-column` of a box say where it is.
 */
export function useGridKeys() {
  const [current, setCurrent] = useState<Cell>({ row: 0, column: 0 });
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    const step = stepOf(event);
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = boxFrom(event.currentTarget, current, step);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return { current, setCurrent, onKeyDown };
}

function stepOf({ key, currentTarget }: KeyboardEvent<HTMLTableElement>): readonly [number, number] | null {
  if (key === 'Home') return [0, Number.NEGATIVE_INFINITY];
  if (key === 'End') return [0, Number.POSITIVE_INFINITY];
  const step = STEPS[key];
  if (!step) return null;
  const isMirrored = getComputedStyle(currentTarget).direction === 'rtl';
  return isMirrored ? [step[0], -step[1]] : step;
}

function boxFrom(
  table: HTMLElement,
  { row, column }: Cell,
  [down, along]: readonly [number, number],
): HTMLElement | null {
  const boxes = [...table.querySelectorAll<HTMLElement>('[data-row][data-column]')];
  const at = (box: HTMLElement) => ({
    row: Number(box.dataset['row']),
    column: Number(box.dataset['column']),
  });
  const line = boxes.filter((box) => (down === 0 ? at(box).row === row : at(box).column === column));
  const offset = (box: HTMLElement) => (down === 0 ? at(box).column - column : at(box).row - row);
  const direction = Math.sign(down || along);
  const ahead = line
    .filter((box) => Math.sign(offset(box)) === direction)
    .toSorted((a, b) => Math.abs(offset(a)) - Math.abs(offset(b)));
  return (Number.isFinite(along) ? ahead[0] : ahead.at(-1)) ?? null;
}
