import { formatDatetime, formatRelative } from '../../../base/format.ts';
import css from './beside.module.css';

/** When something happened. */
export function EntryTime({ at }: { readonly at: string }) {
  return (
    <time className={css['when']} dateTime={at} title={formatDatetime(at)}>
      {formatRelative(at)}
    </time>
  );
}
