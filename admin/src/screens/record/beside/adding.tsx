import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../../../widgets/button.tsx';
import css from './marks.module.css';

interface AddingProps {
  readonly label: string;
  /** The input, while it is open. */
  readonly children: ReactNode;
  /** Buttons beside the one that opens the input. */
  readonly others?: ReactNode;
}

/** A button that opens an input below it. Escape closes the input. */
export function Adding({ label, children, others }: AddingProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: key presses only bubble through this element
    <div
      className={css['adding']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <div className={css['buttons']}>
        <Button
          ref={button}
          kind="quiet"
          icon={isOpen ? 'close' : 'plus'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
        {others}
      </div>
      {isOpen && children}
    </div>
  );
}
