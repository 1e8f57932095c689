/** A source of time, which tests control. */
export interface Clock {
  /**
   * Microseconds since the Unix epoch. Strictly increasing within the process (below 2^53), unless the
   * machine's time is set back.
   */
  micros(): number;
}

/**
 * A larger difference between the machine's time and the process's own count means that the time was set, or
 * that the machine slept; milliseconds.
 */
const SET = 1_000;

/**
 * The machine's clock, made strictly increasing so that two changes never share a `modified`. When the
 * machine's time is set, or the machine slept, the clock continues from the new time: receivers refuse
 * requests signed with another time.
 */
export function systemClock(): Clock {
  let origin = performance.timeOrigin;
  let last = 0;
  return {
    micros() {
      let millis = origin + performance.now();
      const off = Date.now() - millis;
      if (Math.abs(off) > SET) {
        origin += off;
        millis += off;
        if (off < 0) last = 0;
      }
      const now = Math.floor(millis * 1000);
      last = now > last ? now : last + 1;
      return last;
    },
  };
}

/** Milliseconds since the Unix epoch: the unit of stored deadlines and ages. */
export function nowMillis(clock: Clock): number {
  return Math.floor(clock.micros() / 1000);
}

/** `YYYY-MM-DD HH:MM:SS.ffffff` in the given IANA time zone: the stored form of every timestamp. */
export function formatTimestamp(micros: number, timeZone = 'UTC'): string {
  const second = Math.floor(micros / 1_000_000);
  const fraction = String(micros - second * 1_000_000).padStart(6, '0');
  if (second !== latest.second || timeZone !== latest.timeZone) {
    latest = { second, timeZone, text: formatSecond(second * 1000, timeZone) };
  }
  return `${latest.text}.${fraction}`;
}

/** The last formatted second: most timestamps share it. */
let latest = { second: Number.NaN, timeZone: '', text: '' };

function formatSecond(millis: number, timeZone: string): string {
  if (timeZone !== 'UTC') return formatterFor(timeZone).format(millis);
  const iso = new Date(millis).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/**
 * Parses the format of `formatTimestamp` to microseconds since the epoch. In an hour that a clock change
 * repeats, it returns one of the two times.
 */
export function parseTimestamp(text: string, timeZone = 'UTC'): number {
  const [date = '', time = '00:00:00'] = text.split(' ');
  const [seconds = '', fraction = ''] = time.split('.');
  const wall = Date.parse(`${date}T${seconds}Z`);
  let millis = wall;
  // The second step corrects a guess on the other side of a clock change.
  for (let step = 0; step < 2; step++) {
    const shown = formatTimestamp(millis * 1000, timeZone)
      .slice(0, 19)
      .replace(' ', 'T');
    millis += wall - Date.parse(`${shown}Z`);
  }
  return millis * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

// Swedish writes dates as ISO does: "2026-11-21 10:00:00".
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
