import type { Connection } from '../../../db/database.ts';
import type { ActualTable, SchemaChange } from '../../../db/dialect.ts';
import { ident, sql } from '../../../db/sql.ts';
import type { DocField, DocType } from '../../../doctype/doctype.ts';
import { labelOf } from '../../../doctype/fieldtypes/fieldtype.ts';
import { FIELDTYPES } from '../../../doctype/fieldtypes/fieldtypes.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import { isRecord } from '../../../kernel/value.ts';

/** A doctype before a change, as far as its stored documents depend on it. */
export interface Before {
  readonly isSubmittable: boolean;
  /** By fieldname, of the fields with a column. */
  readonly fieldtypes: ReadonlyMap<string, string>;
}

export function beforeOf(doctype: DocType): Before {
  return {
    isSubmittable: doctype.is_submittable,
    fieldtypes: new Map(
      doctype.columns.flatMap(({ fieldname, field }) => (field ? [[fieldname, field.fieldtype]] : [])),
    ),
  };
}

/** The same, from a stored definition. */
export function beforeOfDefinition(definition: Readonly<Record<string, unknown>>): Before {
  const rows = definition['fields'];
  return {
    // Ignored in a child table: see the notes of its definition.
    isSubmittable: definition['is_submittable'] === 1 && definition['istable'] !== 1,
    fieldtypes: new Map(
      (Array.isArray(rows) ? rows : [])
        .filter(isRecord)
        .filter((row) => row['is_virtual'] !== 1 && FIELDTYPES.get(String(row['fieldtype']))?.column != null)
        .map((row) => [String(row['fieldname']), String(row['fieldtype'])]),
    ),
  };
}

/**
 * Refuses changes that stored documents do not allow, even where their columns could hold the values.
 * @throws ServiceError ValidationError
 */
export async function checkStored(connection: Connection, before: Before, after: DocType): Promise<void> {
  if (after.is_virtual) return;
  if (before.isSubmittable && !after.is_submittable) {
    const submitted = await connection.get(
      sql`select "name" from ${ident(after.name)} where "docstatus" = 1 limit 1`,
    );
    if (submitted) {
      const reason = `${after.name} must stay submittable: ${submitted['name']} is submitted. Cancel all submitted documents first`;
      throw new ServiceError('ValidationError', reason);
    }
  }
  for (const field of after.fields) {
    const was = before.fieldtypes.get(field.fieldname);
    const becomesSecret = was !== 'Password' && field.fieldtype === 'Password';
    const becomesPlain = was === 'Password' && field.fieldtype !== 'Password';
    if (was === undefined || !(becomesSecret || becomesPlain)) continue;
    if (!(await hasValues(connection, after.name, field.fieldname))) continue;
    // The column holds only the mask of a secret; the secret itself is stored elsewhere and encrypted.
    const reason = `${labelOf(field)} cannot change between ${was} and ${field.fieldtype} while documents have a value`;
    throw new ServiceError('ValidationError', reason);
  }
}

async function hasValues(connection: Connection, table: string, column: string): Promise<boolean> {
  const found = await connection.get(
    sql`select 1 as "found" from ${ident(table)} where cast(${ident(column)} as text) <> '' limit 1`,
  );
  return found !== undefined;
}

/**
 * Checks that planned unique indexes can be built. Stored '' for unset becomes null, which a unique index
 * allows many times.
 * @throws ServiceError UniqueValidationError naming the duplicates and their documents
 */
export async function checkUnique(
  connection: Connection,
  doctype: DocType,
  actual: ActualTable,
  changes: readonly SchemaChange[],
  mayShow: (fieldname: string) => boolean = () => true,
): Promise<void> {
  const there = new Set(actual.columns.map((column) => column.name));
  for (const change of changes) {
    if (change.change !== 'create_index' || !change.index.unique) continue;
    const field = doctype.fieldByName.get(change.index.columns[0] ?? '');
    if (!field || !there.has(field.fieldname)) continue;
    const [table, column] = [ident(doctype.name), ident(field.fieldname)];
    await connection.run(sql`update ${table} set ${column} = null where ${column} = ''`);
    await requireDistinct(connection, doctype, field, mayShow(field.fieldname));
  }
}

/**
 * Requires that no two documents have the same value, unless it is unset. The error names the values and
 * documents only if they may be shown.
 * @throws UniqueValidationError
 */
export async function requireDistinct(
  connection: Connection,
  doctype: DocType,
  field: DocField,
  mayShow = true,
): Promise<void> {
  const [table, column] = [ident(doctype.name), ident(field.fieldname)];
  const groups = await connection.all(
    sql`select ${column} as "value", count(*) as "count", min("name") as "first", max("name") as "last"
        from ${table} where ${column} is not null and cast(${column} as text) <> '' group by ${column}
        having count(*) > 1 order by ${column} limit ${LIMITS.valuesNamed}`,
  );
  if (groups.length === 0) return;
  const named = groups.map(
    ({ value, count, first, last }) => `${JSON.stringify(value)} (${count}: ${first}, ${last}…)`,
  );
  const problem = `${labelOf(field)} of ${doctype.name} cannot be unique`;
  throw new ServiceError(
    'UniqueValidationError',
    mayShow
      ? `${problem}, these values are stored more than once: ${named.join(', ')}`
      : `${problem}, some values are stored more than once`,
  );
}
