import css from './beside.module.css';
import { USER } from './version-words.ts';

/** A sentence about a user, with the name set apart wherever the language puts it. */
export function Sentence({ text, user }: { readonly text: string; readonly user: string }) {
  const [before = '', after = ''] = text.split(USER);
  return (
    <span className={css['sentence']}>
      {before}
      <strong>
        <bdi>{user}</bdi>
      </strong>
      {after}
    </span>
  );
}
