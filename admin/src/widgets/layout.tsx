import type { CSSProperties, ReactNode } from 'react';
import css from './layout.module.css';

type Gap = 1 | 2 | 3 | 4 | 5 | 6;

interface BoxProps {
  readonly children: ReactNode;
  readonly gap?: Gap;
}

/** Horizontal layout that wraps. */
export function Row({ children, gap = 2, isApart }: BoxProps & { readonly isApart?: boolean }) {
  return (
    <div className={isApart ? `${css['row']} ${css['apart']}` : css['row']} style={gapOf(gap)}>
      {children}
    </div>
  );
}

/** Vertical layout. */
export function Stack({ children, gap = 4 }: BoxProps) {
  return (
    <div className={css['stack']} style={gapOf(gap)}>
      {children}
    </div>
  );
}

/** A card on the page. */
export function Card({ children, label }: { readonly children: ReactNode; readonly label?: string }) {
  return label === undefined ? (
    <div className={css['card']}>{children}</div>
  ) : (
    <section className={css['card']} aria-label={label}>
      {children}
    </section>
  );
}

/** Buttons for the content below them. */
export function Toolbar({ children, label }: { readonly children: ReactNode; readonly label: string }) {
  return (
    <div role="toolbar" aria-label={label} className={css['row']}>
      {children}
    </div>
  );
}

/** One line, cut off with an ellipsis. The full text appears on hover. */
export function Truncate({ text, className }: { readonly text: string; readonly className?: string }) {
  return (
    <span className={className ? `${css['truncate']} ${className}` : css['truncate']} title={text} dir="auto">
      {text}
    </span>
  );
}

/** Secondary text. */
export function Muted({ children, isSmall }: { readonly children: ReactNode; readonly isSmall?: boolean }) {
  return <span className={isSmall ? `${css['muted']} ${css['small']}` : css['muted']}>{children}</span>;
}

/** Text only for screen readers. */
export function Hidden({ children }: { readonly children: ReactNode }) {
  return <span className="visually-hidden">{children}</span>;
}

function gapOf(gap: Gap): CSSProperties {
  return { '--gap': `var(--space-${gap})` } as CSSProperties;
}
