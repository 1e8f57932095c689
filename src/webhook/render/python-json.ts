/**
 * JSON text in the default layout of Python's `json.dumps` (`", "`, `": "`, ASCII only), so that a receiver
 * that parses and re-serialises the body obtains the signed bytes.
 */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : floatText(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return objectText(Object.entries(value).map(([key, inner]) => [key, jsonText(inner)]));
  }
  return 'null';
}

/** An object, from keys and values that are JSON text already. */
export function objectText(pairs: readonly (readonly [string, string])[]): string {
  return `{${pairs.map(([key, text]) => `${quote(key)}: ${text}`).join(', ')}}`;
}

/** A number as Python writes a float: `2.0`, `1e-05`, `1e+16`. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  // Python uses the exponent form below 1e-4 and from 1e16 on; JavaScript below 1e-6 and from 1e21 on.
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/**
 * JSON text in Python's layout. Numbers keep their spelling where Python keeps it.
 * @throws SyntaxError for invalid JSON
 */
export function layOut(json: string): string {
  JSON.parse(json);
  return json.replace(JSON_PIECE, (piece) => {
    const first = piece.charAt(0);
    if (first === '"') return quote(JSON.parse(piece));
    if (first === ',') return ', ';
    if (first === ':') return ': ';
    if (piece.trim() === '') return '';
    return /^[-\d].*[.eE]/.test(piece) ? floatText(Number(piece)) : piece;
  });
}

// Every match begins at the end of the one before, so the text is scanned once.
const JSON_PIECE = /"[^"\\]*(?:\\.[^"\\]*)*"|[,:]|\s+|-?\d[\d.eE+-]*|[[\]{}]|true|false|null/gy;

/** A string as Python quotes it: everything outside printable ASCII as `\uXXXX`. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  return NOT_ASCII.test(quoted) ? quoted.replace(ALL_NOT_ASCII, escapeUnit) : quoted;
}

// Needs no escapes: printable ASCII without quotes and backslashes.
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const NOT_ASCII = /[^\x20-\x7e]/;
const ALL_NOT_ASCII = /[^\x20-\x7e]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
