import { allows } from '../access/permission.ts';
import { rowFilter } from '../access/row-filter.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { sideColumnsOf } from '../doctype/standard-fields.ts';
import type { SelectedTerm } from './list-query.ts';
import type { QueryScope } from './query-scope.ts';

/** The field of a list with the latest comments of each document, as Frappe stores it. */
const COMMENTS = '_comments';

const NOTHING: Sql = sql`1 = 0`;

/** That field of a list of documents, with the comments that the user may read; null for another name. */
export function selectedComments(
  doctype: DocType,
  name: string,
  key: string | undefined,
  scope: QueryScope,
): SelectedTerm | null {
  const isMeant = name.replaceAll('`', '') === COMMENTS && scope.right !== 'select';
  if (!isMeant || sideColumnsOf(doctype).length === 0) return null;
  return { value: 'rows', table: null, comments: readable(scope), key: key ?? COMMENTS };
}

function readable({ registry, user, rowsOf }: QueryScope): Sql | null {
  const comment = registry.find('Comment');
  if (!comment || !allows(user, comment, 'read')) return NOTHING;
  return rowsOf ? rowsOf(comment) : rowFilter(user, comment, 'read', registry);
}
