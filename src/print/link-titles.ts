import { mayLearn } from '../access/field-level.ts';
import type { DocField, DocType, Document } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { listDocuments } from '../document/list/list.ts';
import { ServiceError } from '../kernel/errors.ts';

/** The names in one query for titles. */
const NAMES = 500;

/** The titles of the documents that a document and its rows link to, as far as the user may read them. */
export async function linkTitles(
  ctx: Context,
  doctype: DocType,
  doc: Document,
): Promise<(doctypeName: string, name: string) => string> {
  const wanted = new Map<string, Set<string>>();
  const want = (field: DocField, holder: Readonly<Record<string, unknown>>) => {
    const target = field.fieldtype === 'Link' ? field.options : String(holder[field.options] ?? '');
    const name = holder[field.fieldname];
    if (target === '' || typeof name !== 'string' || name === '') return;
    wanted.set(target, (wanted.get(target) ?? new Set()).add(name));
  };
  for (const field of [...doctype.links, ...doctype.dynamicLinks]) want(field, doc);
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const rows = doc[table.fieldname];
    if (!Array.isArray(rows)) continue;
    for (const row of rows) for (const field of [...child.links, ...child.dynamicLinks]) want(field, row);
  }
  const titles: Titles = new Map();
  for (const [target, names] of wanted) {
    titles.set(target, await titlesOf(ctx, target, [...names]));
  }
  return (doctypeName, name) => titles.get(doctypeName)?.get(name) ?? name;
}

/** By doctype and name. */
type Titles = Map<string, ReadonlyMap<string, string>>;

async function titlesOf(
  ctx: Context,
  target: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  const doctype = ctx.doctypes.find(target);
  const title = doctype?.title_field ?? '';
  if (!doctype || title === '' || !mayLearn(ctx.user, doctype, title)) return titles;
  for (let from = 0; from < names.length; from += NAMES) {
    const some = names.slice(from, from + NAMES);
    try {
      const rows = await listDocuments(ctx, target, {
        fields: ['name', title],
        filters: { name: ['in', some] },
        limit_page_length: NAMES,
      });
      for (const row of rows) {
        if (row[title]) titles.set(String(row['name']), String(row[title]));
      }
    } catch (error) {
      // The document shows the name; its title is not for this user.
      if (error instanceof ServiceError && error.type === 'PermissionError') return titles;
      throw error;
    }
  }
  return titles;
}
