/**
 * Formats a double like PostgreSQL: the shortest digits that parse to the same number, with an exponent from
 * 1e+15 on.
 */
export function realText(value: number): string {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : value < 0 ? '-Infinity' : 'NaN';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  // In this range JavaScript writes no exponent either.
  if (exponent >= -4 && exponent < 15) return String(value);
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${digits}e${exponent < 0 ? '-' : '+'}${size}`;
}
