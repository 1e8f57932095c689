import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { CardDialog } from './card-dialog.tsx';
import { CardTools } from './card-tools.tsx';
import { DashboardCards } from './dashboard-cards.tsx';
import { type Card, type Dashboard, MOST_CARDS } from './dashboard-data.ts';
import css from './dashboards.module.css';
import { useDashboardEditor } from './use-dashboard-editor.ts';

/** Arranges the cards of a dashboard. Nothing is stored before Save. */
export function DashboardEditor({
  dashboard,
  onDone,
}: {
  readonly dashboard: Dashboard;
  readonly onDone: () => void;
}) {
  const editor = useDashboardEditor(dashboard, onDone);
  const [asked, setAsked] = useState<Card | null>(null);
  const { cards, move, put, remove, error, held } = editor;
  return (
    <Stack>
      <EditorBar editor={editor} onAdd={() => setAsked(newCard(cards))} onDone={onDone} />
      {error !== null && <ErrorPanel error={error} refused={t('Couldn’t save')} />}
      {cards.length === 0 ? (
        <EmptyState icon="chart" title={t('No cards yet')}>
          {t('Add figures, charts and lists of shared views.')}
        </EmptyState>
      ) : (
        <DashboardCards
          cards={cards}
          toolsOf={(card, at, title) => (
            <CardTools
              id={card.id}
              at={at}
              title={title}
              onMove={(id, to) => move(id, to, title)}
              onEdit={() => setAsked(card)}
              onRemove={() => remove(card.id)}
            />
          )}
        />
      )}
      {asked && (
        <CardDialog card={asked} isNew={asked.view === ''} onClose={() => setAsked(null)} onDone={put} />
      )}
      {held && (
        <ConfirmDialog
          isOpen
          onClose={held.stay}
          title={t('Leave without saving?')}
          action={t('Discard changes')}
          isDanger
          run={async () => held.leave()}
        >
          {t('Your changes to this dashboard will be lost.')}
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function EditorBar({
  editor: { cards, isDirty, isBusy, save },
  onAdd,
  onDone,
}: {
  readonly editor: ReturnType<typeof useDashboardEditor>;
  readonly onAdd: () => void;
  readonly onDone: () => void;
}) {
  return (
    <div className={css['bar']}>
      <Button icon="plus" disabled={cards.length >= MOST_CARDS} onClick={onAdd}>
        {t('Add card')}
      </Button>
      <Button kind="primary" isBusy={isBusy} disabled={!isDirty} onClick={() => void save()}>
        {t('Save')}
      </Button>
      <Button onClick={onDone}>{isDirty ? t('Cancel') : t('Done')}</Button>
      {isDirty && <Badge tone="warning">{t('Not saved')}</Badge>}
      {cards.length >= MOST_CARDS && (
        <Muted isSmall>{t('A dashboard has at most {count} cards.', { count: MOST_CARDS })}</Muted>
      )}
    </div>
  );
}

function newCard(cards: readonly Card[]): Card {
  return { id: `new ${cards.length} ${Date.now()}`, view: '', type: 'Chart', label: '', width: 'Half' };
}
