const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** Parses a duration into seconds: `1d 2h 3m 4s`, `2h 30m`, or `90` for seconds. Undefined if invalid. */
export function readDuration(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/.test(plain)) return Number(plain);
  if (!/^(?:\d+(?:\.\d+)?\s*[dhms]\s*)+$/.test(plain)) return undefined;
  let seconds = 0;
  for (const [, count, unit = ''] of plain.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])\s*/gy))
    seconds += Number(count) * (UNITS[unit] ?? 0);
  return seconds;
}

/** Formats seconds as `1d 2h 3m 4s`. */
export function writeDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [unit, length] of Object.entries(UNITS)) {
    const count = unit === 's' ? rest : Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join(' ') || '0s';
}
