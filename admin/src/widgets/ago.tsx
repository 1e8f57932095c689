import { formatDatetime, formatRelative } from '../base/format.ts';

/** A wire timestamp as relative time; the exact time on hover. */
export function Ago({ timestamp }: { readonly timestamp: string }) {
  return (
    <time dateTime={timestamp.replace(' ', 'T')} title={formatDatetime(timestamp, 'full')}>
      {formatRelative(timestamp)}
    </time>
  );
}
