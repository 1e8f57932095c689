/**
 * Cells as a spreadsheet copies them: lines of cells between tabs; a cell with a tab, a line end or a quote
 * stands in quotes.
 */
export function writeTsv(cells: readonly (readonly string[])[]): string {
  return cells.map((row) => row.map(quoted).join('\t')).join('\n');
}

/** The same read back. A text without an end to its quotes is taken as it stands. */
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
