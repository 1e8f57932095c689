import { formatDatetime, formatRelative } from '../base/format.ts';

/** How long ago a timestamp of the wire was; the exact time on hover. */
export function Ago({ timestamp }: { readonly timestamp: string }) {
  return (
    <time dateTime={timestamp.replace(' ', 'T')} title={formatDatetime(timestamp, 'full')}>
      {formatRelative(timestamp)}
    </time>
  );
}
