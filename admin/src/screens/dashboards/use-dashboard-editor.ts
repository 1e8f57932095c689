import { useState } from 'react';
import { announce } from '../../base/announce.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { movedTo } from './card-moves.ts';
import { type Card, type Dashboard, saveDashboard } from './dashboard-data.ts';

/** The cards of a dashboard while they are arranged. `onSaved` runs after they were stored. */
export function useDashboardEditor(dashboard: Dashboard, onSaved: () => void) {
  // As it was when the arrangement began: what others store meanwhile must not be overwritten.
  const [base] = useState(dashboard);
  const [cards, setCards] = useState(base.cards);
  const [isSaved, setSaved] = useState(false);
  const task = useTask();
  const isDirty = JSON.stringify(cards) !== JSON.stringify(base.cards);
  const held = useLeaveGuard(isDirty && !isSaved);
  const save = () =>
    task.run(async () => {
      await saveDashboard(base, { cards });
      setSaved(true);
      toast('success', t('Saved'));
      onSaved();
    });
  useShortcut('form', 'mod+s', t('Save'), () => void save());
  const move = (id: string, to: number, title: string) => {
    const next = movedTo(cards, id, to);
    setCards(next);
    const at = next.findIndex((card) => card.id === id) + 1;
    announce(
      t('{title}: position {at} of {count}', {
        title,
        at: formatNumber(at),
        count: formatNumber(next.length),
      }),
    );
  };
  return {
    cards,
    move,
    /** Adds a card, or replaces the one of the same id. */
    put: (card: Card) =>
      setCards(
        cards.some(({ id }) => id === card.id)
          ? cards.map((one) => (one.id === card.id ? card : one))
          : [...cards, card],
      ),
    remove: (id: string) => setCards(cards.filter((card) => card.id !== id)),
    isDirty,
    held,
    save,
    isBusy: task.isBusy,
    error: task.error,
  };
}
