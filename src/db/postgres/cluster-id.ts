import type { Row } from '../database.ts';
import type { Statement } from '../sql.ts';

const IS_READABLE: Statement = {
  text: `select has_function_privilege('pg_control_system()', 'execute') as "readable"`,
  values: [],
};
const ID: Statement = { text: 'select system_identifier::text as "id" from pg_control_system()', values: [] };

/**
 * The identifier of a PostgreSQL cluster, which its standbys share; asked with `ask`. Null where the server hides
 * it, as hosted ones may.
 */
export async function clusterId(
  ask: (question: Statement) => Promise<Row | undefined>,
): Promise<string | null> {
  const { readable } = (await ask(IS_READABLE)) ?? {};
  return readable === 1 ? String((await ask(ID))?.['id']) : null;
}
