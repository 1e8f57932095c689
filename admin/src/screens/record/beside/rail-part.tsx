import type { ReactNode } from 'react';
import type { RightName } from '../../../data/boot.ts';
import type { Doc } from '../../../data/documents.ts';
import type { MetaBundle } from '../../../meta/meta.ts';
import css from './beside.module.css';

/** Props of every part of the rail. A part without anything to show returns null. */
export interface RailPartProps {
  readonly bundle: MetaBundle;
  /** The stored document. */
  readonly doc: Doc;
  readonly canWrite: boolean;
  /** The user's rights on the document. */
  readonly rights: ReadonlySet<RightName>;
  /** Reads the document again, after a change beside it. Unsaved edits stay. */
  readonly refresh: () => Promise<void>;
}

/** A titled card of the rail. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={css['part']} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
