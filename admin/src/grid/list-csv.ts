/** The byte order mark makes spreadsheets read a file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** One line of RFC 4180, quoted where necessary, ending with CR LF. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/** A line of values. */
export function csvRow(values: readonly unknown[], { isGuarded }: { readonly isGuarded: boolean }): string {
  return csvLine(values.map((value) => cellOf(value, isGuarded)));
}

// Spreadsheets execute text that starts like a formula. A leading apostrophe marks it as text; an import removes it,
// so a text that has one already gets another. Numbers from the server cannot be formulas.
function cellOf(value: unknown, isGuarded: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return isGuarded && /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && !isNumber(text)
    ? `'${text}`
    : text;
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

function quoted(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
