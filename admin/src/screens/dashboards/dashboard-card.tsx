import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Icon } from '../../widgets/icon.tsx';
import { Muted, Truncate } from '../../widgets/layout.tsx';
import { CardContent } from './card-content.tsx';
import type { Card } from './dashboard-data.ts';
import css from './dashboards.module.css';
import { useSeen } from './use-seen.ts';
import type { StoredView } from './view-data.ts';

/** A card of a dashboard. Its content is loaded when it comes into view. */
export function DashboardCard({
  card,
  number,
  heading: Heading,
  view,
  isKnown,
  tools,
}: {
  readonly card: Card;
  /** Its place, which names it where the viewer may not see its view. */
  readonly number: number;
  readonly heading: 'h2' | 'h3';
  /** Undefined if the viewer may not see it, or while it loads. */
  readonly view: StoredView | undefined;
  /** The views have loaded. */
  readonly isKnown: boolean;
  /** Shown while the dashboard is edited. */
  readonly tools?: ReactNode;
}) {
  const [place, isSeen] = useSeen<HTMLDivElement>();
  const title = card.label || (view?.label ?? t('Card {number}', { number }));
  return (
    <section className={css['card']} data-card={card.id} data-width={card.width} aria-label={title}>
      <header className={css['head']}>
        <Heading className={css['title']}>
          {view && !tools ? <PathLink to={pathOfView(view)}>{title}</PathLink> : <Truncate text={title} />}
        </Heading>
        {tools}
      </header>
      <div ref={place} className={css['body']} inert={tools !== undefined}>
        {view && isSeen && <CardContent card={card} view={view} title={title} />}
        {!view && isKnown && (
          <p className={css['hidden']}>
            <Icon name="lock" />
            <Muted>{t('You are not permitted to see this.')}</Muted>
          </p>
        )}
      </div>
    </section>
  );
}

function pathOfView({ name, type, reference_doctype: doctype }: StoredView): string {
  return paths.list(doctype, { view: name, ...(type === 'Table' ? {} : { as: type.toLowerCase() }) });
}
