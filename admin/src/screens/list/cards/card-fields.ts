import { usersIn } from '../../../data/marks.ts';
import { askedFields, type Column } from '../../../grid/list-columns.ts';
import { isLongText } from '../../../meta/fieldtypes.ts';
import type { Field, Meta } from '../../../meta/meta.ts';

/** Values below the title of a card, by default. */
const USUAL = 3;
const PICTURES = ['Attach', 'Attach Image', 'Signature'];

/** The named fields of a card; by default those of the list, without the title and what the view shows already. */
export function cardFields(
  meta: Meta,
  fields: readonly Field[],
  names: unknown,
  shown: readonly string[] = [],
): readonly Field[] {
  if (Array.isArray(names))
    return names.flatMap((name) => fields.find((one) => one.fieldname === name) ?? []);
  return fields
    .filter(
      ({ fieldname, fieldtype, in_list_view, hidden }) =>
        in_list_view &&
        !hidden &&
        !isLongText(fieldtype) &&
        !PICTURES.includes(fieldtype) &&
        fieldname !== meta.title_field &&
        meta.autoname !== `field:${fieldname}` &&
        fieldname !== assigneeField(meta)?.fieldname &&
        !shown.includes(fieldname),
    )
    .slice(0, USUAL);
}

/** Pixels of the lines of values after the first one: the style sheet has two values in a line, of this height. */
export function furtherLines(cards: readonly Field[]): number {
  return 26 * Math.max(0, Math.ceil(cards.length / 2) - 1);
}

/** The fields to request for cards. */
export function askedOfCards(
  meta: Meta,
  fields: readonly Field[],
  cards: readonly Field[],
  more: readonly string[],
): readonly string[] {
  const assignee = assigneeField(meta);
  return [
    ...new Set([
      ...askedFields(meta, columnsOfCards(cards), fields),
      '_assign',
      ...(assignee && fields.includes(assignee) ? [assignee.fieldname] : []),
      ...more,
    ]),
  ];
}

/** Fields as the columns of a list, for the titles of their links. */
export function columnsOfCards(cards: readonly Field[]): readonly Column[] {
  return cards.map((field) => ({ field, width: 0, isPinned: false, isFlexible: false }));
}

/** The title of a row. */
export function titleOfRow(meta: Meta, row: Readonly<Record<string, unknown>>): string {
  return String(row[meta.title_field] || row['name']);
}

/** The users that a document is assigned to: by assignment, and in a field for it. */
export function assigneesOf(meta: Meta, row: Readonly<Record<string, unknown>>): readonly string[] {
  const named = assigneeField(meta);
  const user = named && row[named.fieldname];
  return [...new Set([...(user ? [String(user)] : []), ...usersIn(row['_assign'])])];
}

function assigneeField(meta: Meta): Field | undefined {
  return meta.fields.find(
    ({ fieldname, fieldtype, options }) =>
      fieldtype === 'Link' && options === 'User' && /assign/.test(fieldname),
  );
}
