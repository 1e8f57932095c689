import type { ClientBase } from 'pg';

/**
 * duplicate_schema, duplicate_table, duplicate_object (the row type of a table), and unique_violation in the
 * catalogue.
 */
const EXISTS: ReadonlySet<unknown> = new Set(['42P06', '42P07', '42710', '23505']);

/** Runs a statement that creates a table or a schema, unless another process that starts now is faster. */
export async function createOnce(client: ClientBase, text: string): Promise<void> {
  await client.query(text).catch((error: { code?: string }) => {
    // `if not exists` does not see what is not committed yet.
    if (!EXISTS.has(error.code)) throw error;
  });
}
