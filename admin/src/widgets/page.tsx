import { type ReactNode, useEffect, useRef } from 'react';
import { takeArrival } from '../base/arrival.ts';
import { type Crumb, crumbs } from '../base/crumbs.ts';
import { usePath } from '../base/navigation.tsx';
import css from './layout.module.css';

export interface PageProps {
  /** The heading, and the tab's title. */
  readonly title: string;
  /** Content beside the heading: badges, a count. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  /** Breadcrumbs from the top, without the screen itself. */
  readonly trail?: readonly Crumb[];
  /** For reading and forms: no wider than eyes like. */
  readonly isNarrow?: boolean;
  /** Fills the window; its content scrolls. */
  readonly isFull?: boolean;
  readonly children: ReactNode;
}

/** A screen: its heading, which gets the focus when one arrives, its actions and its content. */
export function Page({ title, beside, actions, trail = [], isNarrow, isFull, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another screen, even where the heading stays
  useEffect(() => {
    if (takeArrival()) heading.current?.focus({ preventScroll: true });
  }, [path]);
  const key = JSON.stringify([...trail, { label: title }]);
  useEffect(() => {
    crumbs.set(JSON.parse(key) as Crumb[]);
    document.title = `${title} – Chancery`;
  }, [key, title]);
  return (
    <div
      className={[css['page'], isNarrow && css['narrow'], isFull && css['full']].filter(Boolean).join(' ')}
    >
      <header className={css['header']}>
        <h1 ref={heading} tabIndex={-1} data-page-title>
          <bdi>{title}</bdi>
        </h1>
        {beside}
        {actions && <div className={css['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
