import type { Card } from './dashboard-data.ts';

/** The cards with one at another position. Positions beyond the ends mean the ends. */
export function movedTo(cards: readonly Card[], id: string, to: number): readonly Card[] {
  const from = cards.findIndex((card) => card.id === id);
  const moved = cards[from];
  if (!moved) return cards;
  const at = Math.max(0, Math.min(cards.length - 1, to));
  const rest = cards.filter((card) => card.id !== id);
  return [...rest.slice(0, at), moved, ...rest.slice(at)];
}

/** The steps of an arrow key over a dashboard; 0 for any other key. */
export function stepOf(key: string, isRtl: boolean): number {
  const across = isRtl ? -1 : 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: across,
    ArrowLeft: -across,
    ArrowDown: 1,
    ArrowUp: -1,
  };
  return steps[key] ?? 0;
}
