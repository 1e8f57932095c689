import type { DocField, DocType } from '../doctype/doctype.ts';

/** Something to print: a field, with its own label and, for a table, its own columns; or a text. */
export type PrintItem =
  | {
      readonly kind: 'field';
      readonly field: DocField;
      readonly label: string;
      readonly columns: readonly string[];
    }
  | { readonly kind: 'heading'; readonly label: string }
  | { readonly kind: 'text'; readonly content: string };

/** A part of the page, with its columns side by side. */
export interface PrintSection {
  readonly label: string;
  readonly columns: readonly (readonly PrintItem[])[];
}

/** A row of a Print Format. */
export interface FormatRow {
  readonly type: string;
  readonly fieldname: string;
  readonly label: string;
  readonly columns: string;
  readonly content: string;
}

/** The parts of a form in their order, without hidden fields and those that forms leave out in print. */
export function partsOfForm(doctype: DocType): readonly PrintSection[] {
  const page = new Page();
  for (const field of doctype.fields) {
    // The pattern of the name says nothing beside the name.
    if (field.hidden || field.print_hide || field.fieldname === 'naming_series') continue;
    if (field.fieldtype === 'Tab Break' || field.fieldtype === 'Section Break') page.section(field.label);
    else if (field.fieldtype === 'Column Break') page.column();
    else if (field.fieldtype === 'Heading') page.add({ kind: 'heading', label: field.label });
    else if (isPrintable(field)) page.add({ kind: 'field', field, label: field.label, columns: [] });
  }
  return page.sections;
}

/** The parts of a Print Format. Rows whose field the doctype no longer has are left out. */
export function partsOfFormat(doctype: DocType, rows: readonly FormatRow[]): readonly PrintSection[] {
  const page = new Page();
  for (const row of rows) {
    const field = doctype.fieldByName.get(row.fieldname);
    if (row.type === 'Section') page.section(row.label);
    else if (row.type === 'Column') page.column();
    else if (row.type === 'Text') page.add({ kind: 'text', content: row.content });
    else if (field && isPrintable(field)) {
      page.add({ kind: 'field', field, label: row.label || field.label, columns: columnNames(row.columns) });
    }
  }
  return page.sections;
}

/** The fieldnames in a comma-separated text. */
export function columnNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** True for a field that can be printed: not a break, a button or a password. */
export function isPrintable({ fieldtype }: DocField): boolean {
  return !NEVER.has(fieldtype);
}

const NEVER: ReadonlySet<string> = new Set([
  ...['Tab Break', 'Section Break', 'Column Break', 'Fold', 'Heading', 'Button', 'HTML', 'Password'],
]);

class Page {
  readonly sections: { label: string; columns: PrintItem[][] }[] = [];

  section(label: string): void {
    this.sections.push({ label, columns: [[]] });
  }

  column(): void {
    this.#last().columns.push([]);
  }

  add(item: PrintItem): void {
    this.#last().columns.at(-1)?.push(item);
  }

  #last(): { label: string; columns: PrintItem[][] } {
    if (this.sections.length === 0) this.section('');
    return this.sections.at(-1) as { label: string; columns: PrintItem[][] };
  }
}
