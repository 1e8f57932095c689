/**
 * The ASCII letters and digits of a text in lower case, with escapes decoded, and their positions in the
 * text.
 */
export interface BareText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

interface Unit {
  readonly code: number;
  readonly start: number;
  readonly end: number;
}

/** Escapes may be nested, such as JSON in a URL in JSON. Nobody sends more levels than this. */
const MOST_ROUNDS = 4;

const NAMED: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** An escape of JSON and programming languages, of a URL, or of HTML, at the start of a text. */
const ESCAPE =
  /^(?:\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|(\\[^ux])|%([0-9a-f]{2})|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(amp|apos|gt|lt|quot);)/i;
const LONGEST = 12;
/** An escape of quoted-printable, or an incomplete one at the end of a text. */
const QUOTED = /=([0-9a-f]{2})|=[0-9a-f]?$/gi;
/** An incomplete escape at the end of a text. */
const BROKEN = /^(?:\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%[0-9a-f]?|&[#a-z0-9]{0,8})$/i;

/**
 * Normalises a text, so that texts equal but for escapes, case and punctuation become equal. `isCut`: the
 * text may end inside an escape. `isQuoted`: the text is in quoted-printable.
 */
export function bareText(text: string, isCut = false, isQuoted = false): BareText {
  let units: readonly Unit[] = Array.from({ length: text.length }, (_, at) => ({
    code: text.charCodeAt(at),
    start: at,
    end: at + 1,
  }));
  if (isQuoted) units = unquoted(units, isCut);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = units.length;
    units = unescaped(units, isCut);
    if (units.length === before) break;
  }
  const kept = units.filter(({ code }) => isLetterOrDigit(code));
  return {
    text: unitsText(kept).toLowerCase(),
    starts: kept.map(({ start }) => start),
    ends: kept.map(({ end }) => end),
  };
}

function unescaped(units: readonly Unit[], isCut: boolean): Unit[] {
  const text = unitsText(units);
  const result: Unit[] = [];
  for (let at = 0; at < units.length; ) {
    const begin = units[at];
    if (!begin) break;
    const window = /[\\%&]/.test(text.charAt(at)) ? text.slice(at, at + LONGEST) : '';
    const match = ESCAPE.exec(window);
    if (match) {
      const end = units[at + match[0].length - 1]?.end ?? begin.end;
      result.push({ code: codePoint(match), start: begin.start, end });
      at += match[0].length;
    } else if (isCut && window !== '' && at + window.length === units.length && BROKEN.test(window)) {
      break;
    } else {
      result.push(begin);
      at += 1;
    }
  }
  return result;
}

// Apart from the other escapes: in a text that is not quoted-printable, `=` often stands before a secret.
function unquoted(units: readonly Unit[], isCut: boolean): Unit[] {
  const text = unitsText(units);
  const pieces: Unit[][] = [];
  let done = 0;
  for (const { index, 0: match, 1: digits } of text.matchAll(QUOTED)) {
    if (digits === undefined && !isCut) continue;
    pieces.push(units.slice(done, index));
    done = index + match.length;
    const [start, end] = [units[index]?.start ?? 0, units[done - 1]?.end ?? 0];
    if (digits !== undefined) pieces.push([{ code: Number.parseInt(digits, 16), start, end }]);
  }
  return [...pieces.flat(), ...units.slice(done)];
}

/** The character of an escape. For any but letters and digits, the exact one does not matter. */
function codePoint([, json, point, hex, plain, url, decimal, hexadecimal, named]: RegExpExecArray): number {
  const digits = json ?? point ?? hex ?? url ?? hexadecimal;
  if (digits !== undefined) return Number.parseInt(digits, 16);
  if (decimal !== undefined) return Number(decimal);
  if (named !== undefined) return NAMED[named.toLowerCase()]?.charCodeAt(0) ?? 0;
  return plain === undefined || /[bfnrt]/.test(plain) ? 0 : plain.charCodeAt(1);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

// No ASCII letter or digit lies beyond the basic plane.
function unitsText(units: readonly Unit[]): string {
  let text = '';
  for (const { code } of units) text += code > 0xffff ? '\ufffd' : String.fromCharCode(code);
  return text;
}
