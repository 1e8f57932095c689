import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { isRightToLeft, t, useLanguage } from '../../base/i18n.ts';
import { IconButton } from '../../widgets/button.tsx';
import { startPointerDrag } from '../list/pointer-drag.ts';
import { stepOf } from './card-moves.ts';
import css from './move-handle.module.css';

/**
 * Moves the element with `data-card` around it among its siblings: by pointer, or with the arrow keys. `onMove` gets
 * the new position.
 */
export function MoveHandle({
  at,
  title,
  onMove,
}: {
  readonly at: number;
  readonly title: string;
  readonly onMove: (to: number) => void;
}) {
  const isRtl = isRightToLeft(useLanguage());
  const [handle, keepFocus] = useKeptFocus(at);
  const move = (event: KeyboardEvent) => {
    const step = stepOf(event.key, isRtl);
    if (step === 0) return;
    event.preventDefault();
    keepFocus();
    onMove(at + step);
  };
  return (
    <IconButton
      ref={handle}
      isSmall
      icon="drag"
      className={css['handle']}
      label={t('Move {title}: drag it, or use the arrow keys', { title })}
      onKeyDown={move}
      onPointerDown={(event) => startCardDrag(event, onMove)}
    />
  );
}

// A moved card may lose the focus, because its element moves in the page.
function useKeptFocus(at: number) {
  const handle = useRef<HTMLButtonElement>(null);
  const isKept = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new position means that the card has moved
  useEffect(() => {
    if (isKept.current) handle.current?.focus();
    isKept.current = false;
  }, [at]);
  return [
    handle,
    () => {
      isKept.current = true;
    },
  ] as const;
}

// The card under the pointer is marked; on release the dragged one takes its position.
function startCardDrag(event: PointerEvent<HTMLElement>, onDrop: (to: number) => void): void {
  const source = event.currentTarget.closest<HTMLElement>('[data-card]');
  const grid = source?.parentElement;
  if (!source || !grid || event.button !== 0) return;
  let over: HTMLElement | null = null;
  const enter = (next: HTMLElement | null) => {
    if (over) delete over.dataset['over'];
    if (next) next.dataset['over'] = '';
    over = next;
  };
  const cardAt = ({ x, y }: { readonly x: number; readonly y: number }) =>
    [...grid.querySelectorAll<HTMLElement>('[data-card]')].find((card) => {
      const box = card.getBoundingClientRect();
      return card !== source && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    }) ?? null;
  startPointerDrag(event.nativeEvent, {
    source,
    hasGhost: true,
    onBegin: () => undefined,
    onFrame: (at) => {
      enter(cardAt(at));
      return false;
    },
    onEnd: (at) => {
      const target = at && cardAt(at);
      enter(null);
      if (target) onDrop([...grid.querySelectorAll('[data-card]')].indexOf(target));
    },
  });
}
