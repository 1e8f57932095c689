import { type ReactNode, useEffect, useRef } from 'react';
import { useLinkTitle } from '../../../meta/link-titles.ts';
import { IconButton } from '../../../widgets/button.tsx';
import css from './marks.module.css';

interface Chip {
  readonly id: string;
  readonly text: ReactNode;
  /** Null if the user may not remove it. */
  readonly removal: { readonly label: string; readonly run: () => void } | null;
}

/** Small values with a button each to remove them. After a removal, the next button has the focus. */
export function Chips({ label, chips }: { readonly label: string; readonly chips: readonly Chip[] }) {
  const list = useRef<HTMLUListElement>(null);
  const left = useRef<number | null>(null);
  const { length } = chips;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when a chip is gone
  useEffect(() => {
    const at = left.current;
    left.current = null;
    if (at === null) return;
    const part = list.current?.closest('section');
    const buttons = part?.querySelectorAll<HTMLElement>('li button') ?? [];
    (buttons[Math.min(at, buttons.length - 1)] ?? part?.querySelector<HTMLElement>('button'))?.focus();
  }, [length]);
  return (
    <ul className={css['chips']} ref={list} aria-label={label}>
      {chips.map(({ id, text, removal }, at) => (
        <li key={id} className={css['chip']}>
          <span className={css['chipText']} dir="auto">
            {text}
          </span>
          {removal && (
            <IconButton
              isSmall
              icon="close"
              label={removal.label}
              hasTooltip={false}
              onClick={() => {
                left.current = at;
                removal.run();
              }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The name of a user, as text. */
export function UserName({ user }: { readonly user: string }) {
  return <span title={user}>{useLinkTitle('User', user) ?? user}</span>;
}
