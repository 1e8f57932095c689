import type { MouseEvent } from 'react';

/** The clicked part of a list. Row -1 is the header. */
export interface Press {
  readonly row: number;
  readonly column: number;
  /** True for a click on the row's checkbox. */
  readonly isSelect: boolean;
}

/** The clicked row, column or checkbox; null elsewhere. */
export function pressOf(event: MouseEvent): Press | null {
  const target = event.target instanceof Element ? event.target : null;
  const row = target?.closest('[data-row]')?.getAttribute('data-row');
  if (row === undefined || row === null || target === null) return null;
  const column = target.closest('[data-column]')?.getAttribute('data-column');
  return {
    row: Number(row),
    column: Number(column ?? 0),
    isSelect: target.closest('[data-select]') !== null,
  };
}

/** True if the click is on a link or a menu, which handles it. */
export function isHandled(event: MouseEvent): boolean {
  return (event.target as Element).closest('a, [aria-haspopup]') !== null;
}

/** True if the click is the end of marking text, which opens nothing. */
export function isMarking(): boolean {
  const marked = getSelection();
  return marked !== null && !marked.isCollapsed && marked.toString() !== '';
}

/** A press with Shift would mark text, and one with the middle button would scroll. */
export function keepFromMarking(event: MouseEvent): void {
  const press = pressOf(event);
  if (press && press.row >= 0 && !isHandled(event) && (event.shiftKey || event.button === 1))
    event.preventDefault();
}
