import { type FieldSet, isIn, readableFields } from '../access/field-level.ts';
import type { CurrentUser } from '../access/user.ts';
import type { ChildRow, DocField, DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import { type Html, html } from '../kernel/html.ts';
import { isPrintable, type PrintItem, type PrintSection } from './print-parts.ts';
import { type Customs, image, isLong, isNumber, printValue, rich } from './print-value.ts';

/** The documents and rights behind a printed page. */
export interface Printed extends Customs {
  readonly user: CurrentUser;
  readonly doctypes: DoctypeRegistry;
  readonly doctype: DocType;
  readonly doc: Document;
}

/** The most columns of a table that was given none. */
const COLUMNS = 8;

/** The sections with their values. Empty fields, and sections without any value, are left out. */
export function renderSections(printed: Printed, sections: readonly PrintSection[]): readonly Html[] {
  const readable = readableFields(printed.user, printed.doctype);
  return sections.flatMap(({ label, columns }) => {
    const shown = columns
      .map((items) => items.flatMap((item) => renderItem(printed, item, readable, label)))
      .filter((items) => items.length > 0);
    if (shown.length === 0) return [];
    const heading = label === '' ? null : html`<h2>${label}</h2>`;
    const kind = shown.length > 1 ? 'columns' : 'whole';
    const parts = shown.map((items) => html`<div class="column">${items}</div>`);
    return [html`<section>${heading}<div class="${kind}">${parts}</div></section>`];
  });
}

function renderItem(printed: Printed, item: PrintItem, readable: FieldSet, heading: string): readonly Html[] {
  if (item.kind === 'heading') return [html`<h3>${item.label}</h3>`];
  if (item.kind === 'text')
    return item.content === '' ? [] : [html`<div class="wide">${rich(item.content)}</div>`];
  const { field, label, columns } = item;
  if (!isIn(readable, field.fieldname)) return [];
  const value = fieldValue(printed, field, columns);
  if (value === null) return [];
  const kind = isLong(field) ? 'field wide' : isNumber(field) ? 'field figure' : 'field';
  return [
    html`<div class="${kind}">${label === heading ? null : html`<div class="label">${label}</div>`}<div class="value">${value}</div></div>`,
  ];
}

function fieldValue(printed: Printed, field: DocField, columns: readonly string[]): Html | null {
  const { doc } = printed;
  if (field.fieldtype === 'Image') {
    const source = doc[field.options];
    return typeof source === 'string' && source !== '' ? image(source) : null;
  }
  const value = doc[field.fieldname];
  if (!Array.isArray(value)) return printValue(field, doc, printed);
  if (value.length === 0) return null;
  if (field.fieldtype === 'Table MultiSelect') return chosen(printed, field, value);
  return table(printed, field, value, columns);
}

function chosen(printed: Printed, table: DocField, rows: readonly ChildRow[]): Html {
  const link = printed.doctypes.get(table.options).links[0];
  const names = link
    ? rows.map((row) => printed.titleOf(link.options, String(row[link.fieldname] ?? '')))
    : [];
  return html`${new Intl.ListFormat(printed.locale).format(names)}`;
}

function table(
  printed: Printed,
  field: DocField,
  rows: readonly ChildRow[],
  columns: readonly string[],
): Html {
  const shown = tableColumns(printed, field, rows, columns);
  const kind = (column: DocField) => (isNumber(column) ? 'number' : 'text');
  const heads = shown.map((column) => html`<th class="${kind(column)}" scope="col">${column.label}</th>`);
  const lines = rows.map((row, index) => {
    const cells = shown.map(
      (column) => html`<td class="${kind(column)}">${printValue(column, row, printed) ?? ''}</td>`,
    );
    return html`<tr><td class="number">${String(index + 1)}</td>${cells}</tr>`;
  });
  return html`<table><thead><tr><th class="number" scope="col">#</th>${heads}</tr></thead><tbody>${lines}</tbody></table>`;
}

/** The named columns; else those of the form's list, or the first ones, where any row has a value. */
function tableColumns(
  { user, doctypes, doctype }: Printed,
  field: DocField,
  rows: readonly ChildRow[],
  columns: readonly string[],
): readonly DocField[] {
  const child = doctypes.get(field.options);
  const readable = readableFields(user, child, doctype);
  const allowed = child.fields.filter(
    (column) => isPrintable(column) && column.fieldtype !== 'Image' && isIn(readable, column.fieldname),
  );
  if (columns.length > 0) {
    return columns.flatMap((name) => allowed.find(({ fieldname }) => fieldname === name) ?? []);
  }
  const filled = allowed.filter(
    ({ hidden, print_hide, fieldname }) =>
      !(hidden || print_hide) && rows.some((row) => Boolean(row[fieldname])),
  );
  const listed = filled.filter(({ in_list_view }) => in_list_view);
  return (listed.length > 0 ? listed : filled).slice(0, COLUMNS);
}
