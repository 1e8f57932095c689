const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: `12.3 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let value = bytes;
  let unit = -1;
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** A length of time for people, rounded: `about 3 minutes`. */
export function aboutTime(seconds: number): string {
  const [unit, count] =
    seconds < 90
      ? (['second', seconds] as const)
      : seconds < 90 * 60
        ? (['minute', seconds / 60] as const)
        : seconds < 48 * 3_600
          ? (['hour', seconds / 3_600] as const)
          : (['day', seconds / 86_400] as const);
  const whole = Math.max(1, Math.round(count));
  return `about ${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
