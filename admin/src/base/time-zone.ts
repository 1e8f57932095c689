/** Wire timestamps are `YYYY-MM-DD HH:MM:SS` in the site's time zone. Users see their own time zone. */

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds since the epoch of a wire timestamp in a time zone; NaN if the text is no timestamp. */
export function momentOf(text: string, zone: string): number {
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?$/.exec(text.trim());
  if (!found) return Number.NaN;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((one) => Number(one ?? 0));
  const millis = Math.floor(Number(`0.${found[7] ?? 0}`) * 1_000);
  const asIfUtc = Date.UTC(year, month - 1, day, hour, minute, second, millis);
  // Near a clock change, the offset at the first guess can be wrong. This uses the offset at the moment
  // itself.
  const guess = asIfUtc - offsetAt(asIfUtc, zone);
  return asIfUtc - offsetAt(guess, zone);
}

/** The wire timestamp of a moment in a time zone. */
export function timestampOf(moment: number, zone: string): string {
  return new Date(moment + offsetAt(moment, zone)).toISOString().slice(0, 19).replace('T', ' ');
}

/** Converts a timestamp between time zones, for fields that the user edits in local time. */
export function betweenZones(text: string, from: string, to: string): string {
  const moment = momentOf(text, from);
  return Number.isNaN(moment) ? text : timestampOf(moment, to);
}

/** True if the platform knows this time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    formatIn(zone);
    return true;
  } catch {
    return false;
  }
}

function offsetAt(moment: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatIn(zone).formatToParts(moment)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1_000) * 1_000;
}

function formatIn(zone: string): Intl.DateTimeFormat {
  let format = FORMATS.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    FORMATS.set(zone, format);
  }
  return format;
}
