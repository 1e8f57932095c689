/** Timestamps travel as `YYYY-MM-DD HH:MM:SS` in the site's time zone; people see theirs. */

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** The moment, in milliseconds, that a timestamp of the wire means in a time zone; NaN for what is none. */
export function momentOf(text: string, zone: string): number {
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?$/.exec(text.trim());
  if (!found) return Number.NaN;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((one) => Number(one ?? 0));
  const millis = Math.floor(Number(`0.${found[7] ?? 0}`) * 1_000);
  const asIfUtc = Date.UTC(year, month - 1, day, hour, minute, second, millis);
  // The offset at the moment itself, which the first guess may miss around a change of the clocks.
  const guess = asIfUtc - offsetAt(asIfUtc, zone);
  return asIfUtc - offsetAt(guess, zone);
}

/** The timestamp of the wire for a moment in a time zone. */
export function timestampOf(moment: number, zone: string): string {
  return new Date(moment + offsetAt(moment, zone)).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * A timestamp as the clocks of another zone show it: what a field that is edited in local time holds, and
 * back.
 */
export function betweenZones(text: string, from: string, to: string): string {
  const moment = momentOf(text, from);
  return Number.isNaN(moment) ? text : timestampOf(moment, to);
}

/** Whether the platform knows a zone of this name. */
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
