import { type ReactNode, useEffect, useRef } from 'react';
import { takeArrival } from '../base/arrival.ts';
import { type Crumb, crumbs } from '../base/crumbs.ts';
import { usePath } from '../base/navigation.tsx';
import css from './layout.module.css';

export interface PageProps {
  /** The heading, and the title of the browser tab. */
  readonly title: string;
  /** Content beside the heading: badges, a count. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  /** Breadcrumbs from the top, without the current screen. Screens of the sidebar have none. */
  readonly trail?: readonly Crumb[];
  /** Limits the width, for text and forms. */
  readonly isNarrow?: boolean;
  /** Fills the window with scrolling content. */
  readonly isFull?: boolean;
  /** The heading and the actions stay in view while the content scrolls. */
  readonly isSticky?: boolean;
  /** A sign above the heading. The page is then a message in the middle. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A screen with heading, actions and content. After a navigation, the heading gets the focus. */
export function Page({
  title,
  beside,
  actions,
  trail = [],
  isNarrow,
  isFull,
  isSticky,
  lead,
  children,
}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new screen
  useEffect(() => {
    if (takeArrival()) heading.current?.focus({ preventScroll: true });
  }, [path]);
  // A screen of the sidebar has no trail: its heading is enough.
  const key = JSON.stringify(trail.length === 0 ? [] : [...trail, { label: title }]);
  useEffect(() => {
    crumbs.set(JSON.parse(key) as Crumb[]);
    document.title = `${title} – Chancery`;
  }, [key, title]);
  return (
    <div
      className={[css['page'], isNarrow && css['narrow'], isFull && css['full'], lead && css['message']]
        .filter(Boolean)
        .join(' ')}
    >
      {lead}
      <header
        className={isSticky ? `${css['header']} ${css['sticky']}` : css['header']}
        data-stays={isSticky || undefined}
      >
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
