import { type PointerEvent as ReactPointerEvent, useCallback } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import type { DesignStore } from './design-store.ts';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { type DraftField, inserted, moved, newField } from './draft.ts';

/** What is dragged: a field of the canvas, or a fieldtype of the palette. */
export type Dragged = { readonly key: string } | { readonly type: string };

/** A press is a click until the pointer has moved this far, in pixels. */
const SLACK = 5;
/** Near the edge of the canvas it scrolls, in pixels. */
const EDGE = 40;

/**
 * Dragging by mouse, pen or touch: call the result on `pointerdown`. Escape puts everything back. A touch drags
 * only by elements that the browser does not scroll by (`touch-action: none`).
 */
export function useDrag(): (event: ReactPointerEvent<HTMLElement>, what: Dragged, label: string) => void {
  const store = useDesign();
  return useCallback(
    (event, what, label) => {
      const isScrolling =
        event.pointerType === 'touch' && getComputedStyle(event.currentTarget).touchAction !== 'none';
      if (event.button === 0 && !isScrolling) follow(event.nativeEvent, store, what, label);
    },
    [store],
  );
}

function follow(down: PointerEvent, store: DesignStore, what: Dragged, label: string): void {
  const ghost = document.createElement('div');
  ghost.className = css['ghost'] ?? '';
  ghost.textContent = label;
  let place: Place | null = null;
  let isMoving = false;
  const end = new AbortController();
  const stop = () => {
    end.abort();
    ghost.remove();
    mark(place, null);
    document.documentElement.removeAttribute('data-dragging');
  };
  const move = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return;
    isMoving ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > SLACK;
    if (!isMoving) return;
    event.preventDefault();
    if (!ghost.isConnected) {
      document.body.append(ghost);
      document.documentElement.setAttribute('data-dragging', '');
    }
    ghost.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 8}px)`;
    scrollNear(event);
    const next = placeAt(event);
    mark(place, next);
    place = next;
  };
  const drop = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return;
    const found = place;
    stop();
    if (!isMoving) return;
    // The click that follows would select what is below the pointer.
    window.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
    if (found) settle(store, what, found);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    stop();
  };
  const options = { signal: end.signal };
  window.addEventListener('pointermove', move, options);
  window.addEventListener('pointerup', drop, options);
  window.addEventListener('pointercancel', stop, options);
  window.addEventListener('keydown', key, { ...options, capture: true });
}

function swallow(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}

/** A place among the fields, and the element that shows it. */
interface Place {
  readonly element: Element;
  readonly side: 'before' | 'after' | 'inside';
}

function placeAt({ clientX, clientY }: PointerEvent): Place | null {
  const element = document.elementFromPoint(clientX, clientY)?.closest('[data-drop]');
  if (!element) return null;
  if (element.getAttribute('data-drop') !== 'field') return { element, side: 'inside' };
  const { top, left, height, width } = element.getBoundingClientRect();
  if (!isBeside(element)) return { element, side: clientY < top + height / 2 ? 'before' : 'after' };
  const isLeft = clientX < left + width / 2;
  return { element, side: isLeft === (document.documentElement.dir !== 'rtl') ? 'before' : 'after' };
}

// True for a field that flows beside others: its place is to the side of them.
function isBeside(element: Element): boolean {
  const flow = element.closest('[data-flow]');
  return flow !== null && element.getBoundingClientRect().width < flow.getBoundingClientRect().width * 0.75;
}

function mark(old: Place | null, next: Place | null): void {
  next?.element.toggleAttribute('data-beside', isBeside(next.element));
  if (old && (old.element !== next?.element || old.side !== next.side))
    old.element.removeAttribute('data-at');
  if (next) next.element.setAttribute('data-at', next.side);
}

function scrollNear({ clientX, clientY }: PointerEvent): void {
  const canvas = document.elementFromPoint(clientX, clientY)?.closest('[data-canvas]');
  if (!canvas) return;
  const { top, bottom } = canvas.getBoundingClientRect();
  if (clientY < top + EDGE) canvas.scrollBy(0, -12);
  else if (clientY > bottom - EDGE) canvas.scrollBy(0, 12);
}

function settle(store: DesignStore, what: Dragged, place: Place): void {
  const at = indexOf(store.draft.fields, place);
  if ('key' in what) {
    store.changeFields((fields) => moved(fields, what.key, at));
    store.select(what.key);
  } else {
    const field = newField(store.draft.fields, what.type);
    store.changeFields((fields) => inserted(fields, field, at));
    store.select(field.key);
  }
  announce(t('Moved to place {at}', { at: at + 1 }));
}

function indexOf(fields: readonly DraftField[], { element, side }: Place): number {
  const end = element.getAttribute('data-end');
  if (end !== null) return Number(end);
  const at = fields.findIndex(({ key }) => key === element.getAttribute('data-key'));
  return side === 'before' ? at : at + 1;
}
