/**
 * Cells in a spreadsheet's clipboard format: rows are lines, cells are separated by tabs. A cell with a tab,
 * a line end or a quote is quoted.
 */
export function writeTsv(cells: readonly (readonly string[])[]): string {
  return cells.map((row) => row.map(quoted).join('\t')).join('\n');
}

/** Parses the same format. Text with an unclosed quote is taken literally. */
export function readTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const source = text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '');
  if (source === '') return rows;
  while (at <= source.length) {
    const cell = readCell(source, at);
    row.push(cell.text);
    at = cell.end + 1;
    if (source[cell.end] === '\t') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function readCell(source: string, start: number): { readonly text: string; readonly end: number } {
  if (source[start] === '"') {
    let close = source.indexOf('"', start + 1);
    while (close > 0 && source[close + 1] === '"') close = source.indexOf('"', close + 2);
    const end = close + 1;
    if (close > 0 && (end === source.length || source[end] === '\t' || source[end] === '\n')) {
      return { text: source.slice(start + 1, close).replaceAll('""', '"'), end };
    }
  }
  let end = start;
  while (end < source.length && source[end] !== '\t' && source[end] !== '\n') end += 1;
  return { text: source.slice(start, end), end };
}

function quoted(cell: string): string {
  return /[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
