/** A date or time of a workbook as its cell shows it: it has no zone, and a time alone is on the day before 1900. */
export function momentText(cell: Date): string {
  if (Number.isNaN(cell.getTime())) return '';
  const [day = '', clock = ''] = cell
    .toISOString()
    .replace(/(?:\.000)?Z$/, '')
    .split('T');
  if (day < '1900-01-01') return clock;
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}
