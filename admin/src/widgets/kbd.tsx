import { Fragment } from 'react';
import { shownKeys } from '../base/keys.ts';
import { isMac } from '../base/shortcuts.ts';
import css from './layout.module.css';

/** The keys of a shortcut: `mod+k`. Hidden from screen readers, because the action has a name. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span aria-hidden="true">
      {shownKeys(keys, isMac).map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key can occur twice
        <Fragment key={at}>
          {at > 0 && ' '}
          <kbd className={css['kbd']}>{key}</kbd>
        </Fragment>
      ))}
    </span>
  );
}
