/** Names that documents have already, or that rows need. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx', 'doctype'],
  ...['parent', 'parentfield', 'parenttype', 'constructor'],
]);
const LONGEST = 60;

/** `Due Date` becomes `due_date`, as on the server; '' for a label without Latin letters. */
export function scrub(label: string): string {
  const name = label
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replaceAll(/[^a-z0-9_]/g, '')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .slice(0, LONGEST);
  return /^[a-z]/.test(name) ? name : '';
}

/** A free fieldname for a field with this label, or else one named by its fieldtype: `section_break_2`. */
export function fieldnameFor(label: string, fieldtype: string, isTaken: (name: string) => boolean): string {
  const base = scrub(label) || scrub(fieldtype);
  const isFree = (name: string) => !TAKEN.has(name) && !isTaken(name);
  if (isFree(base)) return base;
  for (let at = 2; ; at += 1) if (isFree(`${base}_${at}`)) return `${base}_${at}`;
}
