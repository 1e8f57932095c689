import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { CardFields } from './card-fields.tsx';
import type { Card } from './dashboard-data.ts';
import { sharedViewsQuery } from './view-data.ts';

/** Chooses the view of a card, and how the card shows it. */
export function CardDialog({
  card,
  isNew,
  onClose,
  onDone,
}: {
  readonly card: Card;
  readonly isNew: boolean;
  readonly onClose: () => void;
  readonly onDone: (card: Card) => void;
}) {
  const [draft, setDraft] = useState(card);
  const { data: views, error, refetch } = useQuery(sharedViewsQuery);
  const done = (event: FormEvent) => {
    event.preventDefault();
    if (draft.view === '') return;
    onDone({ ...draft, label: draft.label.trim() });
    onClose();
  };
  return (
    <Modal isOpen onClose={onClose} title={isNew ? t('Add a card') : t('Edit the card')} isSticky>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!views && !error && <Skeleton height={160} />}
      {views?.length === 0 && <NoViews />}
      {views && views.length > 0 && (
        <form onSubmit={done} noValidate>
          <Stack>
            <CardFields
              draft={draft}
              views={views}
              onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
            />
            <Row isApart>
              <Button onClick={onClose}>{t('Cancel')}</Button>
              <Button kind="primary" type="submit" disabled={draft.view === ''}>
                {isNew ? t('Add card') : t('Apply')}
              </Button>
            </Row>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function NoViews() {
  return (
    <EmptyState
      icon="chart"
      title={t('No shared views yet')}
      action={<PathLink to={paths.doctypes()}>{t('All doctypes')}</PathLink>}
    >
      {t('Show a list as a report, save the view and share it. Cards show shared views.')}
    </EmptyState>
  );
}
