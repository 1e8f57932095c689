import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { DashboardCard } from './dashboard-card.tsx';
import type { Card } from './dashboard-data.ts';
import css from './dashboards.module.css';
import { viewsOfQuery } from './view-data.ts';

/** The cards of a dashboard, side by side as wide as each says. */
export function DashboardCards({
  cards,
  heading = 'h2',
  toolsOf,
}: {
  readonly cards: readonly Card[];
  /** The level of the cards' titles, below the heading around them. */
  readonly heading?: 'h2' | 'h3';
  /** Shown in each card while the dashboard is edited. */
  readonly toolsOf?: (card: Card, at: number, title: string) => ReactNode;
}) {
  const names = [...new Set(cards.map(({ view }) => view))].toSorted();
  const views = useQuery({ ...viewsOfQuery(names), placeholderData: (before) => before });
  if (views.error) return <ErrorPanel error={views.error} onRetry={() => void views.refetch()} />;
  return (
    <div className={css['cards']}>
      {cards.map((card, at) => {
        const view = views.data?.get(card.view);
        return (
          <DashboardCard
            key={card.id}
            card={card}
            number={at + 1}
            heading={heading}
            view={view}
            isKnown={views.data !== undefined && !views.isPlaceholderData}
            tools={toolsOf?.(card, at, card.label || (view?.label ?? card.view))}
          />
        );
      })}
    </div>
  );
}
