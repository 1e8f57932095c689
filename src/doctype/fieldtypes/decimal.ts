/**
 * Rounds `value` to `digits` decimals, half away from zero, by its decimal text: 1.005 becomes 1.01 at two
 * digits, which binary arithmetic does not give. Idempotent. `value` must be finite and below 1e21.
 */
export function roundDecimal(value: number, digits: number): number {
  if (Number.isInteger(value)) return value;
  const [whole = '0', fraction = ''] = plainText(Math.abs(value)).split('.');
  if (fraction.length <= digits) return value;
  const kept = BigInt(whole + fraction.slice(0, digits)) + (fraction.charAt(digits) >= '5' ? 1n : 0n);
  const rounded = kept.toString().padStart(digits + 1, '0');
  const point = rounded.length - digits;
  const magnitude = Number(`${rounded.slice(0, point)}.${rounded.slice(point)}`);
  return value < 0 && magnitude !== 0 ? -magnitude : magnitude;
}

// The shortest decimal text of this double, without an exponent ("1.5e-7" is "0.00000015").
function plainText(value: number): string {
  const [mantissa = '0', exponent] = String(value).split('e-');
  if (exponent === undefined) return mantissa;
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return `0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}
