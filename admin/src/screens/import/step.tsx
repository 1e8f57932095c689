import { type ReactNode, type RefObject, useId } from 'react';
import css from './import.module.css';

/** A step of the wizard, or a part of a load. */
export function Step({
  title,
  heading,
  children,
}: {
  readonly title: string;
  /** The heading, for the focus. */
  readonly heading?: RefObject<HTMLHeadingElement | null>;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={css['step']} aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={heading && -1}>
        {title}
      </h2>
      {children}
    </section>
  );
}
