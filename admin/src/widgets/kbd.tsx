import { Fragment } from 'react';
import { shownKeys } from '../base/keys.ts';
import { isMac } from '../base/shortcuts.ts';
import css from './layout.module.css';

/** A shortcut as its keys: `mod+k`. For eyes; what it is of has a name. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span aria-hidden="true">
      {shownKeys(keys, isMac).map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice
        <Fragment key={at}>
          {at > 0 && ' '}
          <kbd className={css['kbd']}>{key}</kbd>
        </Fragment>
      ))}
    </span>
  );
}
