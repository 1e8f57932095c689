/** A line of an invoice: how many, at what price. */
export interface Line {
  readonly qty: number;
  readonly rate: number;
}

export interface Totals {
  /** Of each line, in order. */
  readonly amounts: readonly number[];
  readonly net: number;
  readonly tax: number;
  readonly grand: number;
}

/** Beyond this a JSON number could no longer hold the cents. */
export const LARGEST_TOTAL = 1e13;

/**
 * Amounts to two decimals, rounded half away from zero: each line, then the tax on their sum. Calculated in whole
 * numbers, so that 3 × 1.005 is 3.02 (of 3.015) and ten times 0.1 is 1.
 */
export function invoiceTotals(lines: readonly Line[], taxRate: number): Totals {
  const amounts = lines.map((line) => round(scaled(line.qty) * scaled(line.rate), 2 * DIGITS));
  const net = amounts.reduce((sum, amount) => sum + amount, 0n);
  // A percentage of cents: two more digits to drop.
  const tax = round(net * scaled(taxRate), DIGITS + 4);
  return { amounts: amounts.map(money), net: money(net), tax: money(tax), grand: money(net + tax) };
}

/** What is wrong with a line, in words, or null. */
export function problemOf(line: Line): string | null {
  if (line.qty < 0) return 'Quantity cannot be negative';
  if (line.rate < 0) return 'Rate cannot be negative';
  return null;
}

/** Decimals of a stored number. */
const DIGITS = 9;

/** A number as a whole count of billionths, by its decimal text. */
function scaled(value: number): bigint {
  // Numbers below a millionth print with an exponent; so small, toFixed is exact to the ninth decimal.
  const text = Math.abs(value) < 1e-6 ? value.toFixed(DIGITS) : String(value);
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, DIGITS).padEnd(DIGITS, '0'));
}

/** From `digits` decimals to cents. */
function round(value: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(digits - 2);
  const half = value < 0n ? -unit / 2n : unit / 2n;
  return (value + half) / unit;
}

function money(cents: bigint): number {
  return Number(cents) / 100;
}
