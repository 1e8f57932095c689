import type { Connection } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import type { ActualTable } from '../../../db/dialect.ts';
import { ident, sql } from '../../../db/sql.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import { isNumbered, nameInText } from '../../../doctype/numbered.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { LIMITS } from '../../../kernel/limits.ts';

/**
 * Checks that the names of a doctype that becomes `autoincrement` are whole numbers.
 * @throws ServiceError ValidationError naming others
 */
export async function checkNames(
  connection: Connection,
  doctype: DocType,
  actual: ActualTable,
): Promise<void> {
  const problem = await problemOf(connection, doctype, actual);
  if (problem !== null) throw new ServiceError('ValidationError', problem);
}

/** One sentence for each doctype whose names prevent the migration. */
export async function unfitNames(connection: Connection, doctypes: readonly DocType[]): Promise<string[]> {
  const problems: string[] = [];
  for (const doctype of doctypes.filter(isNumbered)) {
    const actual = await describeTable(connection, doctype.name);
    const problem = actual && (await problemOf(connection, doctype, actual));
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

async function problemOf(
  connection: Connection,
  doctype: DocType,
  actual: ActualTable,
): Promise<string | null> {
  const isText = actual.columns.some(({ name, kind }) => name === actual.primaryKey && kind === 'text');
  if (!isNumbered(doctype) || !isText) return null;
  const number = nameInText(doctype, sql`"name"`, connection.dialect);
  const rows = await connection.all(
    sql`select "name" from ${ident(doctype.name)}
        where coalesce(${number}, 0) not between 1 and ${Number.MAX_SAFE_INTEGER}
        order by "name" limit ${LIMITS.valuesNamed + 1}`,
  );
  if (rows.length === 0) return null;
  const named = rows.slice(0, LIMITS.valuesNamed).map((row) => JSON.stringify(row['name']));
  const more = rows.length > named.length ? ', …' : '';
  return `${doctype.name}: autoincrement needs names that are whole numbers; rename or delete ${named.join(', ')}${more} before the migration`;
}
