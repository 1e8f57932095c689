import { formatDatetime, formatRelative } from '../base/format.ts';
import { useTicking } from '../base/use-ticking.ts';

/** A wire timestamp as relative time; the exact time on hover. */
export function Ago({ timestamp }: { readonly timestamp: string }) {
  useTicking();
  return (
    <time dateTime={timestamp.replace(' ', 'T')} title={formatDatetime(timestamp, 'full')}>
      {formatRelative(timestamp)}
    </time>
  );
}
